use super::*;
use proptest::prelude::*;

const MSS: u32 = 10;

fn block(start: u32, end: u32) -> Block {
    Block::new(Seq(start), Seq(end))
}

/// RFC 6675 read word by word, octet by octet.
#[derive(Default)]
struct Literal {
    high_ack: u32,
    high_rxt: u32,
    sacked: Vec<bool>,
}

impl Literal {
    fn is_lost(&self, seq: u32) -> bool {
        let above = &self.sacked[seq as usize + 1..];
        let octets = above.iter().filter(|s| **s).count() as u32;
        let blocks = above.iter().enumerate().filter(|&(i, s)| *s && (i == 0 || !above[i - 1])).count() as u32;
        blocks >= DUP_THRESH || octets > (DUP_THRESH - 1) * MSS
    }

    fn pipe(&self, high_data: u32) -> u32 {
        let mut pipe = 0;
        for octet in (self.high_ack..high_data).filter(|&o| !self.sacked[o as usize]) {
            pipe += u32::from(!self.is_lost(octet)) + u32::from(octet < self.high_rxt);
        }
        pipe
    }

    /// The missing octet that NextSeg() begins with, by rule (1) or (3).
    fn next(&self, must_be_lost: bool) -> Option<u32> {
        let highest = self.sacked.iter().rposition(|s| *s)? as u32;
        let fits = |&o: &u32| !self.sacked[o as usize] && (!must_be_lost || self.is_lost(o));
        (self.high_rxt.max(self.high_ack)..highest).find(fits)
    }
}

#[derive(Clone, Debug)]
enum Step {
    Ack(u32),
    Sack(u32, u32),
    Retransmit,
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => (0u32..8).prop_map(Step::Ack),
        5 => (0u32..40, 1u32..4).prop_map(|(at, n)| Step::Sack(at, n)),
        4 => Just(Step::Retransmit),
        1 => Just(Step::Restart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn as_the_rfc_word_by_word(base in prop::sample::select(vec![0u32, u32::MAX - 150]), steps in prop::collection::vec(step(), 1..80)) {
        let seq = |k: u32| Seq(base).plus(k);
        let high_data = 44 * MSS;
        let mut board = Scoreboard::new(MSS, seq(0));
        let mut literal = Literal { sacked: vec![false; high_data as usize], ..Literal::default() };
        for step in steps {
            match step {
                Step::Ack(segments) => {
                    let mut ack = (literal.high_ack + segments * MSS).min(high_data);
                    while literal.sacked.get(ack as usize) == Some(&true) {
                        ack += 1;
                    }
                    board.update(seq(ack), &[]);
                    literal.high_ack = ack;
                    literal.high_rxt = literal.high_rxt.max(ack);
                    literal.sacked[..ack as usize].fill(false);
                }
                Step::Sack(at, segments) => {
                    let (start, end) = (at * MSS, ((at + segments) * MSS).min(high_data));
                    // A block at the cumulative acknowledgement would have moved it.
                    if start <= literal.high_ack {
                        continue;
                    }
                    let news = board.update(seq(literal.high_ack), &[Block::new(seq(start), seq(end))]);
                    let octets = &mut literal.sacked[start as usize..end as usize];
                    prop_assert_eq!(news as usize, octets.iter().filter(|s| !**s).count());
                    octets.fill(true);
                }
                Step::Retransmit => {
                    if let Some(hole) = board.next_missing() {
                        board.set_high_rxt(hole.end);
                        literal.high_rxt = hole.end.since(seq(0));
                    }
                }
                Step::Restart => {
                    board.set_high_rxt(seq(0));
                    literal.high_rxt = literal.high_ack;
                }
            }
            prop_assert_eq!(board.pipe(seq(high_data)), literal.pipe(high_data));
            for octet in (literal.high_ack..high_data).filter(|&o| !literal.sacked[o as usize]) {
                prop_assert_eq!(board.is_lost(seq(octet)), literal.is_lost(octet), "octet {}", octet);
            }
            prop_assert_eq!(board.next_lost().map(|b| b.start), literal.next(true).map(seq));
            prop_assert_eq!(board.next_missing().map(|b| b.start), literal.next(false).map(seq));
            let last = (literal.high_ack..high_data).rev().find(|&o| !literal.sacked[o as usize]);
            prop_assert_eq!(board.last_missing(seq(high_data)).map(|b| b.end), last.map(|o| seq(o + 1)));
            for hole in [board.next_lost(), board.next_missing(), board.last_missing(seq(high_data))].into_iter().flatten() {
                prop_assert!(!hole.is_empty() && hole.len() <= MSS);
                prop_assert_eq!(board.sacked().bytes_between(hole.start, hole.end), 0);
            }
        }
    }
}

/// Three blocks above, or more than two segments' bytes above: then, and not before.
#[test]
fn the_two_conditions_of_is_lost() {
    let mut board = Scoreboard::new(MSS, Seq(0));
    board.update(Seq(0), &[block(10, 30)]);
    assert!(!board.is_lost(Seq(0)), "two segments are not more than two");
    board.update(Seq(0), &[block(30, 31)]);
    assert!(board.is_lost(Seq(9)) && !board.is_lost(Seq(31)));

    let mut board = Scoreboard::new(MSS, Seq(0));
    for k in [20, 40] {
        board.update(Seq(0), &[block(k, k + 1)]);
    }
    assert!(!board.is_lost(Seq(0)));
    board.update(Seq(0), &[block(60, 61)]);
    assert!(board.is_lost(Seq(19)) && !board.is_lost(Seq(21)), "only what lies below all three");
}
