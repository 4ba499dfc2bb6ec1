//! Liveness: from every state that is not excused, moves other than faults lead to a state in which the goal holds.
//!
//! In a finite world, this is equivalent to "infinitely often" under strong fairness: a move other than a fault that is
//! enabled infinitely often is made infinitely often. A run that visits a state infinitely often then makes the first
//! move of a path from it to the goal infinitely often, then the second, and so on. So it suffices that each state has
//! such a path. If states are excused (the layer may give up the connection), a fair run reaches either an excused
//! state or the goal infinitely often.

/// Returns the first state (of least depth) from which a goal cannot be reached, and the goal. States are numbered over
/// the shards in turn; `goals` contains the goal bits of each shard's states (low half: holds; high half: excused),
/// `edges` the moves other than faults, `depth` the distance of a state from the initial one.
pub fn first_without(
    goals: &[&[u64]],
    edges: &[&[(u32, u32)]],
    count: usize,
    depth: &dyn Fn(u32) -> u32,
) -> Option<(u32, usize)> {
    let shards = goals.len();
    let most = goals.iter().map(|g| g.len()).max().unwrap_or(0) * shards;
    let bits = |state: usize| goals[state % shards].get(state / shards).copied();
    let all = u64::MAX >> (64 - count.clamp(1, 32));
    if goals.iter().flat_map(|g| g.iter()).all(|bits| bits & all == all) {
        return None;
    }
    // The predecessors of each state, as compressed rows.
    let mut start = vec![0u32; most + 1];
    for (_, to) in edges.iter().flat_map(|e| e.iter()) {
        start[*to as usize + 1] += 1;
    }
    for at in 0..most {
        start[at + 1] += start[at];
    }
    let mut from = vec![0u32; start[most] as usize];
    let mut next = start.clone();
    for (source, to) in edges.iter().flat_map(|e| e.iter()) {
        from[next[*to as usize] as usize] = *source;
        next[*to as usize] += 1;
    }
    drop(next);
    let mut found: Option<(u32, usize)> = None;
    for goal in 0..count {
        let mut reaches: Vec<bool> = (0..most).map(|s| bits(s).is_some_and(|b| b >> goal & 1 == 1)).collect();
        let mut waiting: Vec<u32> = (0..most as u32).filter(|s| reaches[*s as usize]).collect();
        while let Some(state) = waiting.pop() {
            let row = start[state as usize] as usize..start[state as usize + 1] as usize;
            for source in &from[row] {
                if !reaches[*source as usize] {
                    reaches[*source as usize] = true;
                    waiting.push(*source);
                }
            }
        }
        let misses = |state: u32| {
            let excused = |bits: u64| bits >> (32 + goal) & 1 == 1;
            !reaches[state as usize] && bits(state as usize).is_some_and(|b| !excused(b))
        };
        let first = (0..most as u32).filter(|s| misses(*s)).min_by_key(|s| (depth(*s), *s));
        found = found.into_iter().chain(first.map(|s| (s, goal))).min_by_key(|(s, goal)| (depth(*s), *goal));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::first_without;

    #[test]
    fn a_state_without_a_way_to_the_goal_is_found() {
        // 0 -> 1 -> 2 (goal) -> 0, and 1 -> 3 with an edge to itself.
        let goals: &[u64] = &[0, 0, 1, 0];
        let edges = [(0, 1), (1, 2), (2, 0), (1, 3)];
        assert_eq!(first_without(&[goals], &[&edges], 1, &|s| s), Some((3, 0)));
        let edges = [(0, 1), (1, 2), (2, 0), (1, 3), (3, 2)];
        assert_eq!(first_without(&[goals], &[&edges], 1, &|s| s), None);
        // Over two shards: 0 and 2 belong to the first shard.
        assert_eq!(first_without(&[&[0, 1], &[0, 0]], &[&[(0, 1), (1, 2)], &[(2, 0)]], 1, &|s| s), Some((3, 0)));
    }

    #[test]
    fn the_nearest_state_is_reported() {
        let goals: &[u64] = &[0, 0, 0, 0];
        assert_eq!(first_without(&[goals], &[&[(0, 1)]], 1, &|s| 10 - s), Some((3, 0)));
        // Two goals: the first holds everywhere except in 1, the second everywhere except in 2, which is nearer.
        let goals: &[u64] = &[3, 2, 1, 3];
        assert_eq!(first_without(&[goals], &[&[]], 2, &|s| 10 - s), Some((2, 1)));
        // Excused.
        let goals: &[u64] = &[3, 2, 1 | 2 << 32, 3];
        assert_eq!(first_without(&[goals], &[&[]], 2, &|s| 10 - s), Some((1, 0)));
    }
}
