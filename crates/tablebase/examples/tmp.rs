//! tmp
use fanorona_core::*;
use fanorona_tablebase::*;
use std::sync::atomic::AtomicBool;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let board: Board = a[1].parse().unwrap();
    let rules: RuleSet = a[2].parse().unwrap();
    let stones: u32 = a[3].parse().unwrap();
    let metric = if a[4] == "dtw" { Metric::Dtw } else { Metric::Wdl };
    let dir = std::path::PathBuf::from(&a[5]);
    let o = BuildOptions { dir: &dir, board, rules, stones, metric };
    let t = std::time::Instant::now();
    let e = estimate(&o).unwrap();
    println!(
        "memory {} disk {} sec {} avail {} {}",
        e.memory >> 20,
        e.disk >> 10,
        e.seconds,
        e.memory_available >> 20,
        e.disk_available >> 20
    );
    match build(&o, &(), &AtomicBool::new(false)) {
        Ok(r) => {
            for f in &r.tables {
                let m = f.metadata();
                let s = &m.statistics;
                println!(
                    "{} {} w{} d{} l{} maxw {:?} maxl {:?} bytes {} bpe {:.3}",
                    m.slice,
                    m.metric.name(),
                    s.win,
                    s.draw,
                    s.loss,
                    s.longest(Value::Win),
                    s.longest(Value::Loss),
                    f.bytes(),
                    f.bytes() as f64 * 8.0 / m.values as f64
                );
            }
        }
        Err(e) => println!("error: {e}"),
    }
    println!("build {:?}", t.elapsed());
    let tables = Tables::open(&dir, board, rules).unwrap();
    if a.len() > 6 {
        let t = std::time::Instant::now();
        let th = if a[6] == "full" {
            Thoroughness::Full
        } else {
            Thoroughness::Sample { positions: a[6].parse().unwrap(), seed: 1 }
        };
        for c in verify(&tables, th, &AtomicBool::new(false), |_| ()).unwrap() {
            println!("{:?}", c);
        }
        println!("verify {:?}", t.elapsed());
    }
    println!("start {:?}", tables.probe(&board.start()));
}
