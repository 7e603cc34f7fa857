//! The agenda of a node: what is next among its inputs, lines and timers.

use crate::time::{Moment, Phase, Time, tie_rank};

/// A fixed set of entries, each of which has a moment (or [`Moment::NEVER`]), and the first of them.
///
/// Entries are kept in groups, each a list in order of time: what is planned next is mostly planned soon, so an entry
/// moves past few others. Over the groups there is a knock-out tournament, of which moving an entry replays one path;
/// few nodes need it. Entries at the same moment are ordered by [`tie_rank`] of their salts, never by their number or
/// by the order in which they were set.
pub struct Agenda {
    first: Planned,
    /// While the first entry's moment is before this, it stays the first.
    second: Moment,
    /// The entries, then for each group a place at both ends of its list, with moment never.
    entries: Box<[Entry]>,
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

/// An entry, and its neighbours in the list of its group if it is planned.
#[derive(Clone, Copy)]
struct Entry {
    moment: Moment,
    earlier: u32,
    later: u32,
}

const GROUP: usize = 16;

impl Agenda {
    /// An agenda with one entry for each salt; salts come from the entries' names.
    pub fn new(salts: impl IntoIterator<Item = u64>) -> Agenda {
        let salts: Box<[u64]> = salts.into_iter().collect();
        let groups = salts.len().div_ceil(GROUP).next_power_of_two();
        let entry = |k: usize| Entry { moment: Moment::NEVER, earlier: k as u32, later: k as u32 };
        let entries = (0..salts.len() + groups).map(entry).collect();
        let first = Planned { moment: Moment::NEVER, entry: salts.len() };
        let second = Moment::NEVER;
        Agenda { first, second, entries, tournament: vec![first; 2 * groups].into_boxed_slice(), salts }
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
        self.entries[entry].moment
    }

    /// Plans `entry` for `moment`, in place of whatever was planned.
    #[inline(always)]
    pub fn set(&mut self, entry: usize, moment: Moment) {
        if entry == self.first.entry && moment < self.second {
            self.entries[entry].moment = moment;
            self.first.moment = moment;
        } else if entry == self.first.entry && moment > self.second && self.tournament.len() == 2 {
            self.postpone_first(moment);
        } else {
            self.move_to(entry, moment);
        }
    }

    /// The first of the only group goes behind the second, which there is.
    #[inline(never)]
    fn postpone_first(&mut self, moment: Moment) {
        if moment == Moment::NEVER {
            return self.move_to(self.first.entry, moment);
        }
        let Agenda { first: Planned { entry, .. }, second, .. } = *self;
        let new_first = self.entries[entry].later as usize;
        let mut earlier = new_first;
        let later = loop {
            let later = self.entries[earlier].later as usize;
            let other = self.entries[later].moment;
            if other >= moment && (other > moment || self.ranks_first(moment, entry, later)) {
                break later;
            }
            earlier = later;
        };
        let end = self.salts.len();
        self.entries[end].later = new_first as u32;
        self.entries[new_first].earlier = end as u32;
        self.entries[earlier].later = entry as u32;
        self.entries[entry] = Entry { moment, earlier: earlier as u32, later: later as u32 };
        self.entries[later].earlier = entry as u32;
        self.first = Planned { moment: second, entry: new_first };
        self.second =
            if earlier == new_first { moment } else { self.entries[self.entries[new_first].later as usize].moment };
    }

    #[inline(never)]
    fn move_to(&mut self, entry: usize, moment: Moment) {
        let Entry { moment: old, earlier, later } = self.entries[entry];
        if old != Moment::NEVER {
            self.entries[earlier as usize].later = later;
            self.entries[later as usize].earlier = earlier;
        }
        self.entries[entry].moment = moment;
        let group = entry / GROUP;
        let end = self.salts.len() + group;
        if moment != Moment::NEVER {
            self.insert(entry, moment, end);
        }
        let first = self.entries[end].later as usize;
        self.first = Planned { moment: self.entries[first].moment, entry: first };
        self.second = self.entries[self.entries[first].later as usize].moment;
        if self.tournament.len() > 2 {
            self.replay(group);
        }
    }

    /// Puts `entry` into the list of the group whose ends are at place `end`.
    #[inline]
    fn insert(&mut self, entry: usize, moment: Moment, end: usize) {
        let mut later = self.entries[end].later as usize;
        loop {
            let other = self.entries[later].moment;
            if other >= moment && (other > moment || self.ranks_first(moment, entry, later)) {
                break;
            }
            later = self.entries[later].later as usize;
        }
        let earlier = std::mem::replace(&mut self.entries[later].earlier, entry as u32);
        self.entries[earlier as usize].later = entry as u32;
        self.entries[entry].earlier = earlier;
        self.entries[entry].later = later as u32;
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
