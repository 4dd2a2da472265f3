//! Distances to conversion of a graph of entries.

/// The distance of each of `count` entries: one more than the largest distance among the entries
/// that it leads to, or 0 if it leads to none.
///
/// `links` are pairs of an entry and one that it leads to, of the same number of stones. They may
/// occur several times. Takes 8 bytes for each link and 12 for each entry, and linear time except
/// for sorting the links.
///
/// # Errors
/// The number of an entry that leads to a cycle, if there is one.
pub(crate) fn distances(count: usize, mut links: Vec<(u32, u32)>) -> Result<Vec<u32>, u32> {
    links.sort_unstable_by_key(|(from, to)| (*to, *from));
    links.dedup();
    // For each entry, the number of links that lead from it to an entry without a distance.
    let mut open = vec![0_u32; count];
    links.iter().for_each(|(from, _)| open[*from as usize] += 1);
    let mut distances = vec![0; count];
    let mut ready: Vec<u32> = (0..count as u32).filter(|n| open[*n as usize] == 0).collect();
    let mut done = 0;
    while let Some(to) = ready.pop() {
        done += 1;
        let first = links.partition_point(|link| link.1 < to);
        for (from, _) in links[first..].iter().take_while(|link| link.1 == to) {
            let from = *from as usize;
            distances[from] = distances[from].max(distances[to as usize] + 1);
            open[from] -= 1;
            if open[from] == 0 {
                ready.push(from as u32);
            }
        }
    }
    if done == count {
        return Ok(distances);
    }
    let cycling = open.iter().position(|open| *open > 0).expect("not all entries are done");
    Err(cycling as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The length of the longest way from an entry; `None` if ways have no end.
    fn longest(count: usize, links: &[(u32, u32)]) -> Option<Vec<u32>> {
        let mut found = vec![0; count];
        for _ in 0..=count {
            let before = found.clone();
            for (from, to) in links {
                found[*from as usize] = found[*from as usize].max(before[*to as usize] + 1);
            }
            if found == before {
                return Some(found);
            }
        }
        None
    }

    proptest! {
        #[test]
        fn distances_are_longest_ways(links in proptest::collection::vec((0..9_u32, 0..9_u32), 0..16)) {
            let slow = longest(9, &links);
            match distances(9, links.clone()) {
                Ok(found) => prop_assert_eq!(Some(found), slow),
                Err(entry) => {
                    prop_assert_eq!(slow, None);
                    // Ways from this entry have no end: without the links from it, it cannot lead
                    // on, so it is not the only reason for a cycle elsewhere.
                    let mut reached = vec![entry];
                    for _ in 0..9 {
                        let next: Vec<_> = links
                            .iter()
                            .filter(|link| reached.contains(&link.0))
                            .map(|link| link.1)
                            .collect();
                        prop_assert!(!next.is_empty());
                        reached = next;
                        reached.sort_unstable();
                        reached.dedup();
                    }
                }
            }
        }
    }
}
