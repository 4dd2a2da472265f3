//! `build --estimate`: what a build needs.

use comfy_table::Row;
use fanorona_builder::Estimate;
use fanorona_core::{Board, RuleSet};
use serde::Serialize;

use crate::human::{available, grouped, rough_duration};
use crate::output::{Output, table};

#[derive(Serialize)]
struct Report<'a> {
    board: Board,
    rules: RuleSet,
    stones: u32,
    positions: u64,
    #[serde(flatten)]
    estimate: &'a Estimate,
}

pub(super) fn print(output: Output, (board, rules): (Board, RuleSet), estimate: &Estimate) {
    let stones = estimate.goal.stones();
    let positions: u64 = estimate.slices.iter().map(|slice| slice.positions).sum();
    output.json(&Report { board, rules, stones, positions, estimate });

    let mut rows = table(&["slice", "positions", "up to symmetry", "table"], &[0, 3]);
    for s in &estimate.slices {
        let there = if s.there { "exists" } else { "to build" };
        let [positions, canonical] = [s.positions, s.canonical].map(grouped);
        let name = s.slice.to_string();
        rows.add_row(Row::from([name, positions, canonical, there.to_owned()]));
    }
    output.text(format_args!("{}\n", rows.trim_fmt()));
    output.text(format_args!("stones     {stones}\npositions  {}", grouped(positions)));
    output.text(format_args!("method     {}", estimate.method));
    let of_each = match estimate.processes {
        1 => "",
        processes => {
            output.text(format_args!("processes  {processes}"));
            " for each process"
        }
    };
    let mib = |bytes: u64| grouped(bytes.div_ceil(1 << 20));
    let Estimate { memory, memory_available, disk, checkpoints, disk_available, .. } = *estimate;
    let (least, most) = (estimate.least_memory, estimate.most_memory);
    let range = match least < most {
        true => format!(", from {} MiB (slower) to {} MiB", mib(least), mib(most)),
        false => String::new(),
    };
    output.text(format_args!(
        "memory     {} MiB{of_each}{range}; {}",
        mib(memory),
        available(memory_available)
    ));
    let meanwhile = match checkpoints {
        0 => String::new(),
        bytes => format!(", and {} MiB for checkpoints during the build", mib(bytes)),
    };
    let disk = mib(disk);
    output.text(format_args!("disk       {disk} MiB{meanwhile}; {}", available(disk_available)));
    if estimate.work > 0 {
        let (work, room) = (mib(estimate.work), available(estimate.work_available));
        output.text(format_args!("files      {work} MiB of temporary files{of_each}; {room}"));
    }
    let time = rough_duration(estimate.seconds);
    let about = if time.starts_with("less") { "" } else { "about " };
    output.text(format_args!("time       {about}{time}"));
}
