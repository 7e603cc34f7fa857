//! The agenda of a node: what is next among its inputs, lines and timers.

use crate::time::{Moment, Phase, Time, tie_rank};

/// A fixed set of entries, each of which has a moment (or [`Moment::NEVER`]), and the first of them.
///
/// Entries are kept in groups, each a short array in order of time: what is planned next is mostly planned soon, so an
/// entry moves past few others. Over the groups there is a knock-out tournament, of which moving an entry replays one
/// path; few nodes need it. Entries at the same moment are ordered by [`tie_rank`] of their salts, never by their number
/// or by the order in which they were set.
pub struct Agenda {
    /// The first of all. Its copy in its group may be older: it is written there when the group is next rearranged.
    first: Planned,
    /// While the first entry's moment is before this, it stays the first.
    second: Moment,
    /// By entry.
    moments: Box<[Moment]>,
    groups: Box<[Group]>,
    /// Place 1 holds the first of all groups, places 2k and 2k + 1 the two that met for place k, the second half the
    /// firsts of the groups.
    tournament: Box<[Planned]>,
    salts: Box<[u64]>,
}

#[derive(Clone, Copy)]
struct Planned {
    moment: Moment,
    entry: usize,
}

/// The planned entries of a group in order; behind them all places hold never.
type Group = [Planned; GROUP + 1];

const GROUP: usize = 16;

impl Agenda {
    /// An agenda with one entry for each salt; salts come from the entries' names.
    pub fn new(salts: impl IntoIterator<Item = u64>) -> Agenda {
        let salts: Box<[u64]> = salts.into_iter().collect();
        let groups = salts.len().div_ceil(GROUP).next_power_of_two();
        let first = Planned { moment: Moment::NEVER, entry: salts.len() };
        Agenda {
            first,
            second: Moment::NEVER,
            moments: vec![Moment::NEVER; salts.len()].into_boxed_slice(),
            groups: vec![[first; GROUP + 1]; groups].into_boxed_slice(),
            tournament: vec![first; 2 * groups].into_boxed_slice(),
            salts,
        }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.salts.len()
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.salts.is_empty()
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

    /// Nothing but the first entry is planned before this moment; the start of time where that is not known.
    #[inline]
    pub fn second_moment(&self) -> Moment {
        self.second
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

    /// The first goes behind others; where there is one group, without looking for its place.
    #[inline(never)]
    fn postpone_first(&mut self, moment: Moment) {
        let entry = self.first.entry;
        let [list] = &mut *self.groups else { return self.move_to(entry, moment) };
        let mut place = 0;
        while place < GROUP && list[place + 1].moment < moment {
            list[place] = list[place + 1];
            place += 1;
        }
        let moved = Planned { moment, entry };
        list[place] = moved;
        self.moments[entry] = moment;
        self.first = list[0];
        self.second = list[1].moment;
        if place < GROUP && list[place + 1].moment == moment {
            self.settle_tie(place, moved);
        }
    }

    /// `moved` has come to `place` of the only group, and meets others there.
    #[cold]
    #[inline(never)]
    fn settle_tie(&mut self, place: usize, moved: Planned) {
        self.move_later(0, place, moved);
        self.first = self.groups[0][0];
        self.second = self.groups[0][1].moment;
    }

    /// `moved` stands at `place` of `group`, and goes behind all that come before it.
    #[inline]
    fn move_later(&mut self, group: usize, mut place: usize, moved: Planned) {
        while place < GROUP {
            let later = self.groups[group][place + 1];
            if later.moment == Moment::NEVER || !self.precedes(later, moved) {
                break;
            }
            self.groups[group][place] = later;
            place += 1;
        }
        self.groups[group][place] = moved;
    }

    #[inline(never)]
    fn move_to(&mut self, entry: usize, moment: Moment) {
        let group = entry / GROUP;
        if self.first.moment != Moment::NEVER && self.first.entry / GROUP == group {
            self.groups[group][0] = self.first;
        }
        let old = std::mem::replace(&mut self.moments[entry], moment);
        let list = &mut self.groups[group];
        let stands =
            |p: &Planned| if old == Moment::NEVER { p.moment == old } else { p.entry == entry && p.moment == old };
        let mut place = list.iter().position(stands).expect("a group has a place for each of its entries");
        let moved = Planned { moment, entry };
        if moment == Moment::NEVER {
            list.copy_within(place + 1.., place);
        } else {
            while place > 0 && self.precedes(moved, self.groups[group][place - 1]) {
                self.groups[group][place] = self.groups[group][place - 1];
                place -= 1;
            }
            self.move_later(group, place, moved);
        }
        self.first = self.groups[group][0];
        self.second = self.groups[group][1].moment;
        if self.groups.len() > 1 {
            self.replay(group);
        }
    }

    /// True if `a` goes before `b`.
    #[inline]
    fn precedes(&self, a: Planned, b: Planned) -> bool {
        a.moment < b.moment || a.moment == b.moment && self.ranks_first(a.moment, a.entry, b.entry)
    }

    /// The first of `group` plays its matches anew.
    fn replay(&mut self, group: usize) {
        let mut place = self.tournament.len() / 2 + group;
        self.tournament[place] = self.first;
        while place > 1 {
            let (a, b) = (self.tournament[place & !1], self.tournament[place | 1]);
            let tied = a.moment == b.moment && a.moment != Moment::NEVER;
            let a_first = if tied { self.ranks_first(a.moment, a.entry, b.entry) } else { a.moment < b.moment };
            place /= 2;
            self.tournament[place] = if a_first { a } else { b };
        }
        self.first = self.tournament[1];
        // Who is second in other groups is not known, and every move must reach the tournament.
        self.second = Time::ZERO.at(Phase::Service);
    }

    /// True if `a` goes before `b`, both planned for `moment`.
    #[cold]
    fn ranks_first(&self, moment: Moment, a: usize, b: usize) -> bool {
        let rank = |entry: usize| (tie_rank(moment, self.salts[entry]), entry);
        rank(a) < rank(b)
    }

    /// Plans nothing for `entry`.
    #[inline]
    pub fn clear(&mut self, entry: usize) {
        self.set(entry, Moment::NEVER);
    }
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
        /// Against a linear scan, with many ties.
        #[test]
        fn agrees_with_a_scan(n in 1usize..90, steps in prop::collection::vec((0usize..90, 0u64..6), 1..200)) {
            let salts: Vec<u64> = (0..n as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            let mut agenda = Agenda::new(salts.clone());
            let mut plain = vec![Moment::NEVER; n];
            for (entry, ps) in steps {
                let entry = entry % n;
                let moment = if ps == 5 { Moment::NEVER } else { at(ps) };
                plain[entry] = moment;
                agenda.set(entry, moment);
                let best = (0..n).min_by_key(|&i| (plain[i], tie_rank(plain[i], salts[i]), i)).unwrap();
                prop_assert_eq!(agenda.first_moment(), plain[best]);
                if plain[best] != Moment::NEVER {
                    prop_assert_eq!(agenda.first_entry(), best);
                }
                prop_assert_eq!(agenda.moment(entry), moment);
            }
        }
    }
}
