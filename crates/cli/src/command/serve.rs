//! `serve`: the explorer, a web page and a JSON API.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use fanorona_explorer::{Explorer, Library, LibraryOptions, Settings, serve};
use fanorona_proof::Certificate;

use crate::advice;
use crate::command::site;
use crate::failure::Failure;
use crate::interrupt;
use crate::options::{
    ADVANCED_OPTIONS, ReadOptions, at_least, between, duration, mapped, unmapped,
};
use crate::output::{self, Output};

/// Show positions, values and turns on a local web page, with a JSON API
#[derive(Debug, Args)]
#[command(after_help = "\
The page is for this machine only, unless --bind names another address. The API is described at \
/api/v1/openapi.json. Ctrl-C ends the server.

Example:
  fanorona serve --tables tables --open")]
pub(crate) struct Serve {
    /// Port; 0 chooses a free one
    #[arg(long, value_name = "N", default_value_t = 7878, value_parser = between(0, u16::MAX))]
    port: u16,

    /// Address to listen on; any other than a loopback address needs --host
    #[arg(
        long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST),
        value_parser = ip_address
    )]
    bind: IpAddr,

    /// Name by which browsers ask for the server, besides localhost; can be given several times
    #[arg(long = "host", value_name = "NAME", value_parser = host)]
    hosts: Vec<String>,

    /// Open the page in the browser
    #[arg(long)]
    open: bool,

    #[command(flatten)]
    tables: ReadOptions,

    /// Map tables into memory, and use unpacked ones: searches and the opponent are faster. Without it
    /// the server survives tables that another program changes or shortens while they are open
    #[arg(long, conflicts_with = "no_mmap", help_heading = ADVANCED_OPTIONS)]
    mmap: bool,

    /// Certificate whose bounds are shown beyond the tables; can be given several times, for any boards
    /// and rule sets. It is believed: check it first with 'fanorona check'
    #[arg(long = "book", value_name = "FILE", num_args = 1..)]
    books: Vec<PathBuf>,

    /// Do not use the certificates of the starts that are a part of this program. A certificate that is
    /// given takes the place of that of its board and rule set
    #[arg(long)]
    no_book: bool,

    /// Proof searches at a time, and as many analyses and reviews of games; 0 means that none are offered
    #[arg(
        long, value_name = "N", default_value_t = 2, value_parser = between(0usize, 1024),
        help_heading = ADVANCED_OPTIONS
    )]
    searches: usize,

    /// Memory of each search, in MiB
    #[arg(
        long, value_name = "MIB", default_value_t = 256, value_parser = at_least(1usize),
        help_heading = ADVANCED_OPTIONS
    )]
    search_memory: usize,

    /// Longest time of a search
    #[arg(
        long, value_name = "TIME", default_value = "10m", value_parser = duration,
        help_heading = ADVANCED_OPTIONS
    )]
    search_time: Duration,

    /// Turns of the opponent that are computed at a time; 0 means that none is offered
    #[arg(
        long, value_name = "N", default_value_t = 2, value_parser = between(0usize, 1024),
        help_heading = ADVANCED_OPTIONS
    )]
    opponents: usize,

    /// Read the files of the page from this directory, while working on them
    #[arg(long, value_name = "DIR", hide = true)]
    page: Option<PathBuf>,
}

/// A parser of addresses.
fn ip_address(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| "write an IP address, as in 127.0.0.1 or ::1".to_owned())
}

/// A name without scheme, port and path.
fn host(text: &str) -> Result<String, String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '[' | ']' | ':');
    let has_port = text.contains(':') && !(text.starts_with('[') && text.ends_with(']'));
    if text.is_empty() || has_port || !text.chars().all(allowed) {
        return Err("write a name without scheme, port and path, as in fanorona.example".to_owned());
    }
    Ok(text.to_owned())
}

impl Serve {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let is_public = !self.bind.is_loopback();
        if is_public && self.hosts.is_empty() {
            return Err(Failure::input(format!(
                "--bind {} can be reached by other machines: say with --host NAME by which name, as \
                 in --host fanorona.example",
                self.bind
            )));
        }
        let certificates = self.books.iter().map(Certificate::open);
        let certificates = certificates.collect::<Result<Vec<_>, _>>();
        let certificates = certificates?;
        let library = Library::new(self.library(is_public)?, certificates);
        let address = SocketAddr::new(self.bind, self.port);
        let listener = TcpListener::bind(address)
            .with_context(|| format!("cannot listen on {address}; choose another --port"))?;
        let address = listener.local_addr().context("cannot read the address of the socket")?;
        interrupt::install()?;
        let explorer = Explorer::new(library, self.settings());
        let page = match self.hosts.first().filter(|_| is_public) {
            Some(host) => format!("http://{host}:{}/", address.port()),
            None => format!("http://{address}/"),
        };
        Output::new(false).text(format_args!("{page}"));
        if self.open
            && let Err(error) = open::that_detached(&page)
        {
            output::message(format_args!("warning: cannot open the browser: {error}"));
        }
        serve(&explorer, listener, interrupt::requested)?;
        Ok(())
    }

    fn library(&self, is_public: bool) -> anyhow::Result<LibraryOptions> {
        let dirs = self.tables.dirs()?;
        let mut library = LibraryOptions::new(dirs.iter().map(|dir| dir.to_path_buf()));
        library.starts = !self.no_book;
        library.tables = if self.mmap { mapped() } else { unmapped() };
        // Strangers need not know the directories of this machine.
        if let Some(dir) = dirs.first().filter(|dir| !is_public && **dir != Path::new("tables")) {
            library.directory_option = format!("--tables {}", advice::quoted(dir));
        }
        Ok(library)
    }

    fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.hosts.clone_from(&self.hosts);
        settings.page.clone_from(&self.page);
        settings.static_files = site::without_tables();
        settings.search_time = self.search_time;
        settings.searches = self.searches;
        settings.search_memory_mib = self.search_memory;
        settings.opponents = self.opponents;
        settings
    }
}
