//! A first-in, first-out queue of small records that grows by itself and never shrinks.

/// A ring of copyable records; cheaper than a `VecDeque` because it has a power of two of places and only two ends.
pub struct Ring<T> {
    /// Records `taken..put`, each at its number modulo the number of places.
    places: Box<[T]>,
    taken: usize,
    put: usize,
}

impl<T: Copy> Ring<T> {
    /// An empty ring with room for `places` records, a power of two; `blank` fills places that hold none.
    pub fn new(places: usize, blank: T) -> Ring<T> {
        assert!(places.is_power_of_two());
        Ring { places: vec![blank; places].into_boxed_slice(), taken: 0, put: 0 }
    }

    #[inline]
    fn place(&self, number: usize) -> usize {
        number & (self.places.len() - 1)
    }

    /// Puts a record at the end.
    #[inline]
    pub fn push(&mut self, record: T) {
        if self.len() == self.places.len() {
            self.grow();
        }
        let place = self.place(self.put);
        self.places[place] = record;
        self.put += 1;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let old = self.places.len();
        let mut places = self.places.repeat(2);
        for number in self.taken..self.put {
            places[number & (2 * old - 1)] = self.places[number & (old - 1)];
        }
        self.places = places.into_boxed_slice();
    }

    /// The first record.
    #[inline]
    pub fn first(&self) -> Option<T> {
        if self.is_empty() { None } else { Some(self.places[self.place(self.taken)]) }
    }

    /// The first record of a ring that is known to hold one.
    #[inline]
    pub fn front(&self) -> T {
        debug_assert!(!self.is_empty(), "an empty ring has no first record");
        self.places[self.place(self.taken)]
    }

    /// The record after so many others.
    #[inline]
    pub fn get(&self, others: usize) -> Option<T> {
        if others < self.len() { Some(self.places[self.place(self.taken + others)]) } else { None }
    }

    /// Takes the first record.
    #[inline]
    pub fn take(&mut self) -> Option<T> {
        let first = self.first();
        self.taken += usize::from(first.is_some());
        first
    }

    /// Takes the first record of a ring that is known to hold one, and puts it at the end.
    #[inline]
    pub fn rotate(&mut self) {
        debug_assert!(!self.is_empty(), "an empty ring cannot turn");
        // The end has a place: that of the first record if there is no other.
        let (from, to) = (self.place(self.taken), self.place(self.put));
        self.places[to] = self.places[from];
        self.taken += 1;
        self.put += 1;
    }

    /// Records in it.
    #[inline]
    pub fn len(&self) -> usize {
        self.put - self.taken
    }

    /// True without records.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.put == self.taken
    }

    /// Records ever put; one that is rotated is put again.
    pub fn total(&self) -> u64 {
        self.put as u64
    }

    /// The records in order.
    pub fn iter(&self) -> impl Iterator<Item = T> {
        (self.taken..self.put).map(|number| self.places[self.place(number)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn is_a_deque(steps in prop::collection::vec(0u8..6, 0..400)) {
            let (mut ring, mut plain, mut total) = (Ring::new(2, 0), VecDeque::new(), 0);
            for (k, step) in steps.into_iter().enumerate() {
                if step < 3 {
                    ring.push(k);
                    plain.push_back(k);
                    total += 1;
                } else if step == 3 && !plain.is_empty() {
                    prop_assert_eq!(Some(ring.front()), plain.front().copied());
                    ring.rotate();
                    total += 1;
                    let first = plain.pop_front();
                    plain.extend(first);
                } else {
                    prop_assert_eq!(ring.take(), plain.pop_front());
                }
                prop_assert_eq!(ring.first(), plain.front().copied());
                prop_assert_eq!((ring.len(), ring.is_empty()), (plain.len(), plain.is_empty()));
                prop_assert_eq!(ring.total(), total);
            }
            prop_assert!(ring.iter().eq(plain));
        }
    }
}
