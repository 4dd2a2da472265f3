//! `serve`: the explorer, a web page and a JSON API.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use fanorona_explorer::{Explorer, Library, LibraryOptions, Settings, serve};
use fanorona_proof::Certificate;
use fanorona_tablebase::TablesOptions;

use crate::advice;
use crate::command::site;
use crate::failure::Failure;
use crate::interrupt;
use crate::options::{ADVANCED_OPTIONS, BookOptions, TableOptions, between, mapped};
use crate::output::{self, Output};

/// Show positions, values and turns on a local web page, with a JSON API
#[derive(Debug, Args)]
#[command(after_help = "\
Certificates of --book may be of any boards and rule sets. They are trusted: check them first with \
'fanorona check'.

The page is for this machine only, unless --bind names another address. The API is described at \
/api/v1/openapi.json. Ctrl-C ends the server.

Example:
  fanorona serve --tables tables --open")]
pub(crate) struct Serve {
    /// Port; 0 chooses a free one
    #[arg(long, value_name = "N", default_value_t = 7878, value_parser = between(0, u16::MAX))]
    port: u16,

    /// Address to listen on; one that other machines reach needs --host
    #[arg(
        long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST),
        value_parser = ip_address
    )]
    bind: IpAddr,

    /// Name of the server, by which browsers ask for it; can be given several times
    #[arg(long = "host", value_name = "NAME", value_parser = host)]
    hosts: Vec<String>,

    /// Open the page in the browser
    #[arg(long)]
    open: bool,

    #[command(flatten)]
    tables: TableOptions,

    /// Read tables instead of mapping them: slower, but safe if another program changes them
    #[arg(long, help_heading = ADVANCED_OPTIONS)]
    no_mmap: bool,

    #[command(flatten)]
    book: BookOptions,

    /// Proof searches at a time, and as many analyses and reviews of games; 0 for none
    #[arg(
        long, value_name = "N", default_value_t = 2, value_parser = between(0usize, 1024),
        help_heading = ADVANCED_OPTIONS
    )]
    searches: usize,

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
        let certificates = self.book.files().iter().map(Certificate::open);
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
        let dirs = self.tables.checked_dirs()?;
        let mut library = LibraryOptions::new(dirs.iter().map(|dir| dir.to_path_buf()));
        library.starts = self.book.has_starts();
        // In a file that is read, a change by another program is an error.
        library.tables = if self.no_mmap { TablesOptions::default() } else { mapped() };
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
        settings.searches = self.searches;
        settings
    }
}
