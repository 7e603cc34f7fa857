//! The max-min fair allocation by progressive filling, without the engine.

/// A flow over links, never less than `floor` nor more than `ceiling`.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) links: Vec<usize>,
    pub(super) floor: f64,
    pub(super) ceiling: f64,
}

impl Flow {
    fn at(&self, level: f64) -> f64 {
        level.max(self.floor).min(self.ceiling)
    }
}

/// All rates rise with one level, each kept between its floor and its ceiling, until a link is full; its flows then stay
/// as they are, and the others go on.
pub(super) fn max_min(capacities: &[f64], flows: &[Flow]) -> Vec<f64> {
    let mut fixed: Vec<Option<f64>> = vec![None; flows.len()];
    let top = capacities.iter().fold(0.0f64, |a, &b| a.max(b));
    loop {
        let load = |link: usize, level: f64| -> f64 {
            let on = flows.iter().zip(&fixed).filter(|(f, _)| f.links.contains(&link));
            on.map(|(f, fixed)| fixed.unwrap_or_else(|| f.at(level))).sum()
        };
        // The level at which each link that still has free flows is full.
        let full = |link: usize| -> Option<f64> {
            let free = flows.iter().zip(&fixed).any(|(f, fixed)| fixed.is_none() && f.links.contains(&link));
            if !free || load(link, top) <= capacities[link] {
                return None;
            }
            let (mut low, mut high) = (0.0, top);
            for _ in 0..100 {
                let middle = 0.5 * (low + high);
                if load(link, middle) > capacities[link] { high = middle } else { low = middle }
            }
            Some(low)
        };
        let first = (0..capacities.len()).filter_map(|l| Some((full(l)?, l))).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((level, link)) = first else {
            return flows.iter().zip(&fixed).map(|(f, fixed)| fixed.unwrap_or_else(|| f.at(top))).collect();
        };
        for (flow, fixed) in flows.iter().zip(&mut fixed) {
            if flow.links.contains(&link) && fixed.is_none() {
                *fixed = Some(flow.at(level));
            }
        }
    }
}

fn flow(links: &[usize]) -> Flow {
    Flow { links: links.to_vec(), floor: 0.0, ceiling: f64::INFINITY }
}

#[track_caller]
fn near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-6), "{found:?}, expected {expected:?}");
}

#[test]
fn textbook_cases() {
    // One flow over three links, one more on each (Bertsekas and Gallager, section 6.5).
    near(&max_min(&[1.0; 3], &[flow(&[0, 1, 2]), flow(&[0]), flow(&[1]), flow(&[2])]), &[0.5; 4]);
    near(
        &max_min(&[10.0, 4.0], &[flow(&[0]), flow(&[0, 1]), flow(&[1]), flow(&[1])]),
        &[10.0 - 4.0 / 3.0, 4.0 / 3.0, 4.0 / 3.0, 4.0 / 3.0],
    );
    let small = Flow { ceiling: 1.0, ..flow(&[0]) };
    near(&max_min(&[10.0], &[small.clone(), flow(&[0]), flow(&[0])]), &[1.0, 4.5, 4.5]);
    let kept = Flow { floor: 6.0, ..flow(&[0]) };
    near(&max_min(&[10.0], &[kept, flow(&[0]), small]), &[6.0, 3.0, 1.0]);
}
