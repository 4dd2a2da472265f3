//! Positions that wait for the ranks of others, with their turns.

/// Positions without a rank, each with its recommended turns.
///
/// A turn waits for one reply that has no rank. Only when that gets one are the replies to the turn
/// looked at again.
#[derive(Debug, Default)]
pub(super) struct OpenTurns {
    keys: Vec<u64>,
    /// Where the turns of each key end.
    ends: Vec<usize>,
    turns: Vec<WaitingTurn>,
}

/// A turn that waits for the rank of a reply.
#[derive(Clone, Copy, Debug)]
pub(super) struct WaitingTurn {
    /// The number of the position after it among those after all turns.
    pub turn: u32,
    /// The number of replies that stay in the slice.
    pub here: u32,
    /// The position after the turn, as a number of the slice.
    pub after: u64,
    /// The key of a reply that has no rank.
    pub missing: u64,
}

impl OpenTurns {
    pub(super) fn push(&mut self, key: u64, turns: &[WaitingTurn]) {
        self.keys.push(key);
        self.turns.extend_from_slice(turns);
        self.ends.push(self.turns.len());
    }

    /// Each key with its turns.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &[WaitingTurn])> {
        let mut begin = 0;
        self.keys.iter().zip(&self.ends).map(move |(key, end)| {
            let turns = &self.turns[begin..*end];
            begin = *end;
            (*key, turns)
        })
    }

    /// Keeps the keys for which `keep` returns true. It can change their turns.
    pub(super) fn try_retain<E>(
        &mut self,
        mut keep: impl FnMut(u64, &mut [WaitingTurn]) -> Result<bool, E>,
    ) -> Result<(), E> {
        let (mut kept, mut kept_turns, mut begin) = (0, 0, 0);
        for number in 0..self.keys.len() {
            let (key, end) = (self.keys[number], self.ends[number]);
            if keep(key, &mut self.turns[begin..end])? {
                self.turns.copy_within(begin..end, kept_turns);
                kept_turns += end - begin;
                (self.keys[kept], self.ends[kept]) = (key, kept_turns);
                kept += 1;
            }
            begin = end;
        }
        self.keys.truncate(kept);
        self.ends.truncate(kept);
        self.turns.truncate(kept_turns);
        Ok(())
    }

    /// Whether most of the memory is not used.
    pub(super) fn is_sparse(&self) -> bool {
        self.keys.len() < self.keys.capacity() / 2
    }

    /// Frees the memory that is not used.
    pub(super) fn shrink(&mut self) {
        self.keys.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.turns.shrink_to_fit();
    }

    pub(super) fn bytes(&self) -> u64 {
        let turns = size_of::<WaitingTurn>() * self.turns.capacity();
        (8 * (self.keys.capacity() + self.ends.capacity()) + turns) as u64
    }
}
