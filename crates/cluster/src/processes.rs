//! Sending bytes between the processes of MPI.

use std::io;

use fanorona_builder::ProcessGroup;
use mpi::collective::CommunicatorCollectives;
use mpi::point_to_point::{Destination, Source};
use mpi::request::multiple_scope;
use mpi::topology::{Communicator, SimpleCommunicator};

/// The most bytes of a message. MPI counts them as a 32-bit number.
const MESSAGE: usize = 256 << 20;

/// The processes of MPI's world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MpiProcesses {
    index: usize,
    count: usize,
}

impl MpiProcesses {
    pub(crate) fn of(world: &SimpleCommunicator) -> Self {
        Self { index: world.rank() as usize, count: world.size() as usize }
    }
}

impl ProcessGroup for MpiProcesses {
    fn index(&self) -> usize {
        self.index
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
        let others = || (0..self.count).filter(|process| *process != self.index);
        let messages = |sizes: &[u64]| -> usize {
            others().map(|process| (sizes[process] as usize).div_ceil(MESSAGE)).sum()
        };
        let all = messages(&sizes) + messages(&sizes_received);
        multiple_scope(all, |scope, requests| {
            for (process, to) in
                received.iter_mut().enumerate().filter(|(process, _)| *process != self.index)
            {
                let from = world.process_at_rank(process as i32);
                for part in to.chunks_mut(MESSAGE) {
                    requests.add(from.immediate_receive_into(scope, part));
                }
            }
            // Each process begins with the one after it.
            for process in (1..self.count).map(|offset| (self.index + offset) % self.count) {
                let to = world.process_at_rank(process as i32);
                for part in bytes[process].chunks(MESSAGE) {
                    requests.add(to.immediate_send(scope, part));
                }
            }
            requests.wait_all(&mut Vec::new());
        });
        received[self.index].copy_from_slice(&bytes[self.index]);
        Ok(received)
    }
}
