//! Sending bytes between the processes of MPI.

use std::io;

use fanorona_builder::Ranks;
use mpi::collective::CommunicatorCollectives;
use mpi::point_to_point::{Destination, Source};
use mpi::request::multiple_scope;
use mpi::topology::{Communicator, SimpleCommunicator};

/// The most bytes of a message. MPI counts them as a 32-bit number.
const MESSAGE: usize = 256 << 20;

/// The processes of MPI's world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MpiRanks {
    rank: usize,
    count: usize,
}

impl MpiRanks {
    pub(crate) fn of(world: &SimpleCommunicator) -> Self {
        Self { rank: world.rank() as usize, count: world.size() as usize }
    }
}

impl Ranks for MpiRanks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn exchange(&self, bytes: Vec<Vec<u8>>) -> io::Result<Vec<Vec<u8>>> {
        let world = SimpleCommunicator::world();
        let sizes: Vec<_> = bytes.iter().map(|bytes| bytes.len() as u64).collect();
        let mut sizes_received = vec![0_u64; self.count];
        world.all_to_all_into(&sizes[..], &mut sizes_received[..]);
        let mut received: Vec<_> =
            sizes_received.iter().map(|size| vec![0_u8; *size as usize]).collect();
        let others = || (0..self.count).filter(|rank| *rank != self.rank);
        let messages = |sizes: &[u64]| -> usize {
            others().map(|rank| (sizes[rank] as usize).div_ceil(MESSAGE)).sum()
        };
        let all = messages(&sizes) + messages(&sizes_received);
        multiple_scope(all, |scope, requests| {
            for (rank, to) in received.iter_mut().enumerate().filter(|(rank, _)| *rank != self.rank)
            {
                let from = world.process_at_rank(rank as i32);
                for part in to.chunks_mut(MESSAGE) {
                    requests.add(from.immediate_receive_into(scope, part));
                }
            }
            // Each process begins with the one after it.
            for rank in (1..self.count).map(|offset| (self.rank + offset) % self.count) {
                let to = world.process_at_rank(rank as i32);
                for part in bytes[rank].chunks(MESSAGE) {
                    requests.add(to.immediate_send(scope, part));
                }
            }
            requests.wait_all(&mut Vec::new());
        });
        received[self.rank].copy_from_slice(&bytes[self.rank]);
        Ok(received)
    }
}
