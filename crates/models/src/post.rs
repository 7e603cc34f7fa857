//! What cells and messages say: contents too large for a cell's 64 bits, found by the number that the cell carries.

use prefetch_index::prefetch_index;
use std::collections::VecDeque;
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard};

/// The contents of one flow's cells or messages, in order of sending, shared by those who write and read them.
///
/// The sender writes before the cell travels and the others read when it has come, which is later on every path: what
/// they find does not depend on how far the scheduler has let another node run ahead. Cells of a flow keep their order,
/// so contents older than one that is taken belong to cells that were lost.
pub struct Post<T>(Arc<Mutex<VecDeque<(u32, T)>>>);

impl<T> Clone for Post<T> {
    fn clone(&self) -> Post<T> {
        Post(Arc::clone(&self.0))
    }
}

impl<T> Default for Post<T> {
    fn default() -> Post<T> {
        Post(Arc::default())
    }
}

impl<T> Post<T> {
    fn contents(&self) -> MutexGuard<'_, VecDeque<(u32, T)>> {
        self.0.lock().expect("no panic while it was locked")
    }

    /// Posts `content` under `handle`, which follows (modulo 2^32) all handles before it.
    pub fn push(&self, handle: u32, content: T) {
        self.contents().push_back((handle, content));
    }

    /// Takes the content of `handle`, and forgets all that was posted before it.
    ///
    /// # Panics
    /// Where nothing was posted under `handle`, or it is forgotten.
    pub fn take(&self, handle: u32) -> T {
        let mut contents = self.contents();
        loop {
            match contents.pop_front() {
                Some((number, content)) if number == handle => return content,
                Some(_) => {}
                None => missing(handle),
            }
        }
    }

    /// Reads or changes the content of `handle` on its way. Only where handles are dense (each follows the one before),
    /// so that it takes no search.
    ///
    /// # Panics
    /// Where nothing was posted under `handle`, it is forgotten, or handles are not dense.
    pub fn with<R>(&self, handle: u32, f: impl FnOnce(&mut T) -> R) -> R {
        let mut contents = self.contents();
        let place = contents.front().map_or(0, |(first, _)| handle.wrapping_sub(*first)) as usize;
        match contents.get_mut(place) {
            Some((number, content)) if *number == handle => f(content),
            _ => missing(handle),
        }
    }

    /// Shows the contents to `f` in order, each with its handle, and forgets those for which it returns true, up to the
    /// first for which it returns false.
    pub fn settle(&self, mut f: impl FnMut(u32, &mut T) -> bool) {
        let mut contents = self.contents();
        while contents.front_mut().is_some_and(|(handle, content)| f(*handle, content)) {
            contents.pop_front();
        }
    }

    /// Asks for the memory of the post before it is looked at.
    #[inline]
    pub(crate) fn foresee(&self) {
        prefetch_index(slice::from_ref(&*self.0), 0);
    }

    /// Contents that nobody has taken.
    pub fn len(&self) -> usize {
        self.contents().len()
    }

    /// True where everything posted was taken or is forgotten.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn missing(handle: u32) -> ! {
    panic!("broken invariant in post: nothing was posted under handle {handle}")
}

/// The sending end of a flow of messages: each is posted under the number of its last cell.
pub struct Outbox<T> {
    /// Cells offered so far, modulo 2^32.
    cells: u32,
    post: Post<T>,
}

impl<T> Outbox<T> {
    /// The sending end of `post`, before any message.
    pub fn new(post: Post<T>) -> Outbox<T> {
        Outbox { cells: 0, post }
    }

    /// Posts the content of the next message, which has so many cells.
    pub fn send(&mut self, cells: u64, content: T) {
        self.cells = self.cells.wrapping_add(cells as u32);
        self.post.push(self.cells.wrapping_sub(1), content);
    }
}

/// The receiving end of a flow of messages.
pub struct Inbox<T>(Post<T>);

impl<T> Inbox<T> {
    /// The receiving end of `post`.
    pub fn new(post: Post<T>) -> Inbox<T> {
        Inbox(post)
    }

    /// The content of the message that ends with cell `last`; those before it that were not taken are lost.
    ///
    /// # Panics
    /// Where no message ends with `last`.
    pub fn take(&mut self, last: u32) -> T {
        self.0.take(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lost_is_forgotten_when_a_later_one_is_taken() {
        let post = Post::default();
        let (mut outbox, mut inbox) = (Outbox::new(post.clone()), Inbox::new(post.clone()));
        for (cells, content) in [(23, 'a'), (1, 'b'), (2, 'c'), (1, 'd')] {
            outbox.send(cells, content);
        }
        assert_eq!(inbox.take(22), 'a');
        assert_eq!(inbox.take(25), 'c');
        assert_eq!(post.len(), 1);
        assert_eq!(inbox.take(26), 'd');
        assert!(post.is_empty());
    }

    #[test]
    fn numbers_wrap_around() {
        let post = Post::default();
        let mut outbox = Outbox { cells: u32::MAX - 3, post: post.clone() };
        outbox.send(2, 'a');
        outbox.send(5, 'b');
        assert_eq!(post.take(u32::MAX - 2), 'a');
        assert_eq!(post.take(2), 'b');

        let post = Post::default();
        for (handle, content) in [(u32::MAX - 1, 1), (u32::MAX, 2), (0, 3), (1, 4)] {
            post.push(handle, content);
        }
        assert_eq!(post.with(0, |content| std::mem::replace(content, 30)), 3);
        assert_eq!(post.take(u32::MAX), 2);
        assert_eq!((post.with(0, |content| *content), post.with(1, |content| *content)), (30, 4));
        assert_eq!(post.take(0), 30);
    }

    #[test]
    fn settling_goes_from_the_first_on() {
        let post = Post::default();
        (0..5).for_each(|handle| post.push(handle, 10 * handle));
        let mut seen = Vec::new();
        post.settle(|handle, content| {
            seen.push((handle, std::mem::replace(content, 7)));
            handle < 2
        });
        assert_eq!((seen, post.len()), (vec![(0, 0), (1, 10), (2, 20)], 3));
        assert_eq!(post.take(2), 7);
    }

    #[test]
    #[should_panic(expected = "nothing was posted under handle 7")]
    fn what_was_never_posted_cannot_be_taken() {
        let post = Post::default();
        post.push(6, ());
        post.take(7);
    }

    #[test]
    #[should_panic(expected = "nothing was posted under handle 5")]
    fn what_is_forgotten_cannot_be_read() {
        let post = Post::default();
        for handle in 5..8 {
            post.push(handle, ());
        }
        post.take(6);
        post.with(5, |()| ());
    }
}
