//! The agenda of a node: what is next among its inputs, lines and timers.

use crate::time::{Moment, Phase, Time, tie_rank};
use std::hint::select_unpredictable;

/// A fixed set of entries, each of which has a moment (or [`Moment::NEVER`]), and the first of them.
///
/// A few entries are kept in order of time: what is planned next is mostly planned soon, so an entry moves past few
/// others. Many are kept as a knock-out tournament, of which moving an entry replays one path. Entries at the same moment
/// are ordered by [`tie_rank`] of their salts, never by their number or by the order in which they were set.
pub struct Agenda {
    first: Planned,
    /// While the first entry's moment is before this, it stays the first. Not known of a tournament: the start of time.
    second: Moment,
    /// By entry.
    moments: Box<[Moment]>,
    order: Order,
    salts: Box<[u64]>,
    /// The first of a tournament is postponed so many times before the second is looked for again.
    pause: u8,
    /// That, where it is in vain again.
    next_pause: u8,
}

#[derive(Clone, Copy, PartialEq)]
struct Planned {
    moment: Moment,
    entry: usize,
}

enum Order {
    /// In order of time; behind what is planned all places hold never. The first may be older than [`Agenda::first`]: it is
    /// written when the list is next rearranged.
    List(Box<List>),
    /// Match k is between the winners of matches 2k and 2k + 1, or in the second half between two entries; match 1 is the
    /// final.
    Tournament(Box<[[Planned; 2]]>),
}

type List = [Planned; FEW + 1];

const FEW: usize = 16;
/// The second of a tournament that was not looked for: before all moments.
const UNKNOWN: Moment = Time::ZERO.at(Phase::Service);
const LONGEST_PAUSE: u8 = 31;

impl Agenda {
    /// An agenda with one entry for each salt; salts come from the entries' names.
    pub fn new(salts: impl IntoIterator<Item = u64>) -> Agenda {
        let salts: Box<[u64]> = salts.into_iter().collect();
        let first = Planned { moment: Moment::NEVER, entry: salts.len() };
        let (order, second) = if salts.len() <= FEW {
            (Order::List(Box::new([first; FEW + 1])), Moment::NEVER)
        } else {
            // Who is second is not known, and every move must reach the tournament.
            let matches = salts.len().next_power_of_two();
            (Order::Tournament(vec![[first; 2]; matches].into_boxed_slice()), UNKNOWN)
        };
        Agenda {
            first,
            second,
            moments: vec![Moment::NEVER; salts.len()].into_boxed_slice(),
            order,
            salts,
            pause: 0,
            next_pause: 0,
        }
    }

    /// The first moment; [`Moment::NEVER`] when nothing is planned.
    #[inline]
    pub fn first_moment(&self) -> Moment {
        self.first.moment
    }

    /// The entry that is planned for the first moment.
    #[inline]
    pub fn first_entry(&self) -> usize {
        self.first.entry
    }

    /// Nothing but the first entry is planned before this moment.
    #[inline]
    pub fn second_moment(&self) -> Moment {
        match &self.order {
            Order::List(_) => self.second,
            Order::Tournament(_) if self.second != UNKNOWN => self.second,
            Order::Tournament(matches) => runner_up(matches, self.first.entry),
        }
    }

    /// The moment of an entry.
    #[inline]
    pub fn moment(&self, entry: usize) -> Moment {
        self.moments[entry]
    }

    /// Plans `entry` for `moment`, in place of whatever was planned.
    #[inline(always)]
    pub fn set(&mut self, entry: usize, moment: Moment) {
        if entry == self.first.entry {
            self.set_first(moment);
        } else {
            self.move_to(entry, moment);
        }
    }

    /// Plans the first entry, of which there must be one, for `moment`.
    #[inline(always)]
    pub fn set_first(&mut self, moment: Moment) {
        if moment < self.second {
            self.moments[self.first.entry] = moment;
            self.first.moment = moment;
        } else {
            self.postpone_first(moment);
        }
    }

    /// The first goes behind others; in a list without looking for its place.
    #[inline(never)]
    fn postpone_first(&mut self, moment: Moment) {
        let entry = self.first.entry;
        let list = match &mut self.order {
            Order::List(list) => list,
            Order::Tournament(_) => {
                if !self.stays_first(moment) {
                    self.second = UNKNOWN;
                    self.replay(entry, moment);
                }
                return;
            }
        };
        let mut place = 0;
        while place < FEW && list[place + 1].moment < moment {
            list[place] = list[place + 1];
            place += 1;
        }
        list[place] = Planned { moment, entry };
        self.moments[entry] = moment;
        self.first = list[0];
        self.second = list[1].moment;
        if place < FEW && list[place + 1].moment == moment && moment != Moment::NEVER {
            self.settle_tie(place);
        }
    }

    /// Looks for the second of a tournament, where that was worth while of late; true if the first at `moment` stays
    /// before it, and needs no match.
    #[inline]
    fn stays_first(&mut self, moment: Moment) -> bool {
        let Order::Tournament(matches) = &self.order else { return false };
        if self.second != UNKNOWN {
            return false; // it was asked already
        }
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        let second = runner_up(matches, self.first.entry);
        if moment >= second {
            self.next_pause = (2 * self.next_pause + 1).min(LONGEST_PAUSE);
            self.pause = self.next_pause;
            return false;
        }
        self.next_pause = 0;
        self.second = second;
        self.moments[self.first.entry] = moment;
        self.first.moment = moment;
        true
    }

    /// What has come to `place` of the list meets others there.
    #[cold]
    #[inline(never)]
    fn settle_tie(&mut self, mut place: usize) {
        let Order::List(list) = &mut self.order else { return };
        let moved = list[place];
        while place < FEW && list[place + 1].moment == moved.moment && precedes(&self.salts, list[place + 1], moved) {
            list[place] = list[place + 1];
            place += 1;
        }
        list[place] = moved;
        self.first = list[0];
        self.second = list[1].moment;
    }

    #[inline(never)]
    fn move_to(&mut self, entry: usize, moment: Moment) {
        if let Order::Tournament(_) = self.order {
            if self.second != UNKNOWN {
                self.second = UNKNOWN;
                self.replay(self.first.entry, self.first.moment);
            }
            return self.replay(entry, moment);
        }
        let Order::List(list) = &mut self.order else { return };
        let old = std::mem::replace(&mut self.moments[entry], moment);
        list[0] = self.first;
        // Not the first, and so behind it; what is not planned yet comes from the first free place.
        let mut place = usize::from(self.first.moment != Moment::NEVER);
        while list[place].moment < old || list[place].entry != entry && list[place].moment != Moment::NEVER {
            place += 1;
        }
        let moved = Planned { moment, entry };
        if moment == Moment::NEVER {
            list.copy_within(place + 1.., place);
        } else {
            while place > 0 && precedes(&self.salts, moved, list[place - 1]) {
                list[place] = list[place - 1];
                place -= 1;
            }
            while place < FEW && list[place + 1].moment <= moment && precedes(&self.salts, list[place + 1], moved) {
                list[place] = list[place + 1];
                place += 1;
            }
            list[place] = moved;
        }
        self.first = list[0];
        self.second = list[1].moment;
    }

    /// `entry` plays its matches anew. Who wins is as good as random: no branch hangs on it.
    #[inline(never)]
    fn replay(&mut self, entry: usize, moment: Moment) {
        let Order::Tournament(matches) = &mut self.order else { return };
        self.moments[entry] = moment;
        let (mut number, mut side) = ((matches.len() + entry) / 2, entry % 2);
        let mut winner = Planned { moment, entry };
        let mut tied = false;
        while number > 0 {
            let pair = &mut matches[number];
            pair[side] = winner;
            let other = pair[1 - side];
            tied |= other.moment == winner.moment;
            winner = select_unpredictable(other.moment < winner.moment, other, winner);
            (number, side) = (number / 2, number % 2);
        }
        self.first = winner;
        if tied && winner.moment != Moment::NEVER {
            self.replay_ties(entry, moment);
        }
    }

    /// The same matches, those at one moment settled by rank.
    #[cold]
    #[inline(never)]
    fn replay_ties(&mut self, entry: usize, moment: Moment) {
        let Order::Tournament(matches) = &mut self.order else { return };
        let (mut number, mut side) = ((matches.len() + entry) / 2, entry % 2);
        let mut winner = Planned { moment, entry };
        while number > 0 {
            let pair = &mut matches[number];
            pair[side] = winner;
            let other = pair[1 - side];
            if precedes(&self.salts, other, winner) {
                winner = other;
            }
            (number, side) = (number / 2, number % 2);
        }
        self.first = winner;
    }
}

/// The earliest moment among those that the winner of a tournament met.
fn runner_up(matches: &[[Planned; 2]], winner: usize) -> Moment {
    let (mut number, mut side) = ((matches.len() + winner) / 2, winner % 2);
    let mut second = Moment::NEVER;
    while number > 0 {
        second = second.min(matches[number][1 - side].moment);
        (number, side) = (number / 2, number % 2);
    }
    second
}

/// True if `a` goes before `b`.
#[inline]
fn precedes(salts: &[u64], a: Planned, b: Planned) -> bool {
    a.moment < b.moment || a.moment == b.moment && a.moment != Moment::NEVER && ranks_first(salts, a, b)
}

#[cold]
fn ranks_first(salts: &[u64], a: Planned, b: Planned) -> bool {
    let rank = |planned: Planned| (tie_rank(planned.moment, salts[planned.entry]), planned.entry);
    rank(a) < rank(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(ps: u64) -> Moment {
        Time::from_ps(ps).at(Phase::Arrival)
    }

    #[test]
    fn first_is_never_on_an_empty_agenda() {
        let agenda = Agenda::new([1, 2, 3]);
        assert_eq!(agenda.first_moment(), Moment::NEVER);
    }

    proptest! {
        /// Against a linear scan: with many ties, with few and many planned, and where the first often stays the first.
        #[test]
        fn agrees_with_a_scan(
            n in 1usize..90, never in 1u64..12, steps in prop::collection::vec((0usize..150, 0u64..12), 1..400),
        ) {
            let salts: Vec<u64> = (0..n as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            let mut agenda = Agenda::new(salts.clone());
            let mut plain = vec![Moment::NEVER; n];
            for (entry, ps) in steps {
                let first = agenda.first_entry();
                let entry = if entry >= 90 && first < n { first } else { entry % n };
                let moment = if ps >= never { Moment::NEVER } else { at(ps) };
                plain[entry] = moment;
                agenda.set(entry, moment);
                let best = (0..n).min_by_key(|&i| (plain[i], tie_rank(plain[i], salts[i]), i)).unwrap();
                prop_assert_eq!(agenda.first_moment(), plain[best]);
                if plain[best] != Moment::NEVER {
                    prop_assert_eq!(agenda.first_entry(), best);
                    let others = (0..n).filter(|&i| i != best).map(|i| plain[i]);
                    prop_assert_eq!(agenda.second_moment(), others.min().unwrap_or(Moment::NEVER));
                }
                prop_assert_eq!(agenda.moment(entry), moment);
            }
        }
    }
}
