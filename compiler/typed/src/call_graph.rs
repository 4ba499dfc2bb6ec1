//! The call graph of functions: it has no cycles, and its depth is limited.

use nacre_stack::FunctionId;

/// The calls of each function, with repetitions.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallGraph {
    calls: Vec<Vec<FunctionId>>,
}

impl CallGraph {
    /// Adds a function, which is the next in order.
    pub fn add(&mut self) {
        self.calls.push(Vec::new());
    }

    /// Records a call.
    pub fn note(&mut self, by: FunctionId, callee: FunctionId) {
        self.calls[by.index()].push(callee);
    }

    /// The first function that calls itself, directly or through others; else, for each function, its number of calls,
    /// including those of the functions that it calls.
    pub fn count(&self) -> Result<Vec<u64>, FunctionId> {
        let order = self.callees_first();
        if order.len() < self.calls.len() {
            let all = (0..self.calls.len() as u32).map(FunctionId);
            return Err(all.into_iter().find(|f| self.reaches_itself(*f)).unwrap_or(FunctionId(0)));
        }
        let mut within = vec![0u64; self.calls.len()];
        for function in order {
            let calls = self.calls[function].iter();
            within[function] = calls.fold(0, |sum, f| sum.saturating_add(within[f.index()].saturating_add(1)));
        }
        Ok(within)
    }

    /// The functions that reach no cycle, each after all those that it calls.
    fn callees_first(&self) -> Vec<usize> {
        let mut callers = vec![Vec::new(); self.calls.len()];
        for (function, calls) in self.calls.iter().enumerate() {
            calls.iter().for_each(|callee| callers[callee.index()].push(function));
        }
        let mut open: Vec<usize> = self.calls.iter().map(Vec::len).collect();
        let mut order: Vec<usize> = (0..open.len()).filter(|f| open[*f] == 0).collect();
        let mut next = 0;
        while let Some(&callee) = order.get(next) {
            next += 1;
            for &caller in &callers[callee] {
                open[caller] -= 1;
                order.extend((open[caller] == 0).then_some(caller));
            }
        }
        order
    }

    fn reaches_itself(&self, function: FunctionId) -> bool {
        self.reached(&self.calls[function.index()])[function.index()]
    }

    /// By function, whether it is one of these or called by them, directly or through others.
    pub fn reached(&self, from: &[FunctionId]) -> Vec<bool> {
        let mut reached = vec![false; self.calls.len()];
        let mut waiting = from.to_vec();
        while let Some(next) = waiting.pop() {
            if !std::mem::replace(&mut reached[next.index()], true) {
                waiting.extend(&self.calls[next.index()]);
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(calls: &[&[u32]]) -> CallGraph {
        CallGraph { calls: calls.iter().map(|calls| calls.iter().map(|f| FunctionId(*f)).collect()).collect() }
    }

    #[test]
    fn calls_within_calls_are_counted() {
        assert_eq!(graph(&[&[1, 1, 2], &[2], &[]]).count(), Ok(vec![5, 1, 0]));
    }

    #[test]
    fn the_first_function_of_a_cycle_is_named() {
        assert_eq!(graph(&[&[1], &[2], &[1], &[3]]).count(), Err(FunctionId(1)));
    }

    #[test]
    fn many_calls_do_not_overflow() {
        let doubling: Vec<Vec<FunctionId>> =
            (0..100).map(|f| if f == 99 { vec![] } else { vec![FunctionId(f + 1); 2] }).collect();
        let counts = CallGraph { calls: doubling }.count().expect("no cycle");
        assert_eq!(counts[0], u64::MAX);
    }

    #[test]
    fn a_long_chain_is_followed() {
        let length = 100_000;
        let chain = (0..length).map(|f| (f + 1 < length).then_some(FunctionId(f + 1)).into_iter().collect()).collect();
        assert_eq!(CallGraph { calls: chain }.count().expect("no cycle")[0], u64::from(length) - 1);
    }
}
