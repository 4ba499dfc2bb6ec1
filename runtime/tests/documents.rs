//! The code of docs/runtime.md: each block is part of a program that is compiled and run.

mod support;

use std::error::Error;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use nacre_runtime::reconnect::{Backoff, Happened, Reconnector, Target};
#[cfg(target_os = "linux")]
use nacre_runtime::shared;
use nacre_runtime::{Endpoint, Event, Expect, Keys, Listener, Options, Reason, Stack};
use support::{cc, header_dir, scratch, window};

fn text(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).expect("readable")
}

/// The blocks of docs/runtime.md with the languages behind their fences.
fn blocks() -> Vec<(String, String)> {
    let text = text("docs/runtime.md");
    let fenced = text.split("\n```").skip(1).step_by(2);
    fenced.filter_map(|block| block.split_once('\n')).map(|(word, code)| (word.into(), code.into())).collect()
}

/// Without differences of layout.
fn words(code: &str) -> String {
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Says hello until its server closes.
fn reconnecting(mut listener: Listener, stack: &Stack, port: u16) -> Result<Reason, Box<dyn Error>> {
    let mut reconnector = Reconnector::new();
    let to = Target::Name("localhost".into(), port); // looked up again before each attempt
    let mut connection = reconnector.connect(&mut listener, to, stack, Backoff::default())?;
    loop {
        match reconnector.wait(&mut listener, None)? {
            Some(Happened::Event(Event::Opened { .. })) => reconnector.send(&mut listener, connection, b"hello")?,
            Some(Happened::Reconnecting { lost, after, .. }) => {
                println!("{} of {} messages are unknown; again after {after:?}", lost.unknown(), lost.accepted);
            }
            Some(Happened::Reconnected { connection: new, .. }) => connection = new,
            Some(Happened::Ended { reason, .. }) => return Ok(reason),
            _ => {}
        }
    }
}

#[test]
fn reconnecting_client_of_the_guide_says_hello() {
    let mut server = Listener::bind("[::]:0".parse().unwrap(), Options::default()).unwrap();
    server.serve(&window()).unwrap();
    let port = server.local().port();
    let client = thread::spawn(move || {
        let listener = Listener::bind("[::]:0".parse().unwrap(), Options::default()).unwrap();
        reconnecting(listener, &window(), port).map_err(|error| error.to_string())
    });
    let mut greeted = false;
    while !client.is_finished() {
        if let Some(Event::Delivered { connection, message, .. }) =
            server.wait(Some(Duration::from_millis(10))).unwrap()
        {
            assert_eq!(message.to_vec(), b"hello");
            greeted = true;
            server.close(connection).unwrap();
        }
    }
    assert!(greeted);
    assert_eq!(client.join().unwrap().unwrap(), Reason::Closed);
}

#[test]
fn every_block_is_in_a_program_that_runs() {
    let examples = ["rust-embed", "rust-tokio", "rust-mio"].map(|name| text(&format!("examples/{name}/src/main.rs")));
    let programs: Vec<String> =
        examples.iter().map(|text| words(text)).chain([words(include_str!("documents.rs"))]).collect();
    let mut seen = 0;
    for (word, code) in blocks() {
        match word.as_str() {
            "rust" => {
                assert!(programs.iter().any(|program| program.contains(&words(&code))), "no program has:\n{code}")
            }
            "c" => assert_eq!(code.trim(), text("examples/c-runtime/server.c").trim()),
            // cli/tests/install.rs runs them.
            "cmake" | "python" => {}
            other => panic!("no test runs blocks of `{other}`"),
        }
        seen += 1;
    }
    assert!(seen >= 5, "only {seen} blocks were found");
}

/// The documents name one port.
static PORT: Mutex<()> = Mutex::new(());

fn wait_for_port() {
    let until = Instant::now() + Duration::from_secs(120);
    while let Err(error) = std::net::UdpSocket::bind("[::]:7000") {
        assert!(Instant::now() < until, "port 7000: {error}");
        thread::sleep(Duration::from_millis(100));
    }
}

fn client(stack: Stack) -> Result<Vec<u8>, Box<dyn Error>> {
    let soon = Some(Duration::from_secs(10));
    let mut peer = Endpoint::connect("127.0.0.1:7000".parse()?, &stack)?;
    peer.send(b"hello", soon)?; // waits until the stack accepts it
    let answer = peer.receive(soon)?;
    peer.close(soon)?; // everything is delivered first
    Ok(answer)
}

fn server(stack: Stack) -> Result<(), Box<dyn Error>> {
    let mut listener = Listener::bind("[::]:7000".parse()?, Options::default())?; // IPv6 and IPv4
    listener.serve(&stack)?;
    loop {
        match listener.wait(None)? {
            Some(Event::Delivered { connection, message, .. }) => {
                let copy = message.to_vec(); // `message` is borrowed until the listener is used again
                listener.send(connection, &copy)?; // or Error::Refused: see below
            }
            Some(Event::Closed { connection, reason, .. }) => {
                println!("{connection:?}: {reason}");
                return Ok(());
            }
            _ => {}
        }
    }
}

#[test]
fn programs_in_rust_talk() {
    let _port = PORT.lock();
    wait_for_port();
    let served = thread::spawn(|| server(window()).map_err(|error| error.to_string()));
    assert_eq!(client(window()).expect("it answers"), b"hello");
    served.join().expect("it does not panic").expect("it serves");
}

fn secure(stack: &Stack) -> Result<(Listener, Listener, nacre_runtime::ConnectionId), Box<dyn Error>> {
    let any = "127.0.0.1:0".parse()?;
    let keys = Keys::generate()?; // keep `keys.to_bytes()` where nobody else can read it
    let server_key = keys.public(); // tell the clients, as text: `server_key.to_string()`
    let mut server = Listener::bind(any, Options { keys: Some(keys), ..Options::default() })?;
    server.serve(stack)?;
    let mut client = Listener::bind(any, Options { keys: Some(Keys::generate()?), ..Options::default() })?;
    let connection = client.connect_secure(server.local(), stack, Expect::Key(server_key), |_| {})?;
    Ok((server, client, connection))
}

#[test]
fn secure_program_opens_a_connection() {
    let (mut server, mut client, connection) = secure(&support::secure()).expect("it begins");
    let said = support::run_until(&mut [&mut server, &mut client], |said| {
        said.iter().all(|said| said.contains(&"opened".to_string()))
    });
    assert_eq!(said[0], ["arrived", "opened"]);
    assert!(client.peer_key(connection).expect("it is open").is_some());
}

/// Ends the program, also when the test fails.
struct Ending(Child);

impl Drop for Ending {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn program_in_c_answers() {
    let _port = PORT.lock();
    let folder = scratch();
    let (_, code) = blocks().into_iter().find(|(word, _)| word == "c").expect("a program in C");
    let source = folder.path().join("program.c").display().to_string();
    std::fs::write(&source, code).expect("written");
    let own = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(name).display().to_string();
    let library = std::env::current_exe().expect("known").with_file_name("libnacre_runtime.a").display().to_string();
    let (include, header) = (format!("-I{}", own("include")), format!("-I{}", header_dir().display()));
    let (stack, program) = (own("tests/stack/window.c"), folder.path().join("program"));
    let symbol =
        ["-DFINGERPRINT=0x1122334455667788u", "-DDESCRIPTION=\"window<8> / floor\"", "-DSYMBOL=reliable_stack"];
    let strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", &include, &header, &source, &stack, &library];
    let output = program.display().to_string();
    cc(&[&symbol[..], &strict[..], &["-lpthread", "-ldl", "-lm", "-o", &output]].concat());
    wait_for_port();
    let _running = Ending(Command::new(&program).spawn().expect("it starts"));
    assert_eq!(client(window()).expect("it answers"), b"hello");
}

#[cfg(target_os = "linux")]
fn over_shared_memory(path: &Path, stack: Stack) -> Result<(), Box<dyn Error>> {
    let mut server = Listener::new(shared::listen(path)?, Options::default());
    server.serve(&stack)?;
    let mut client = Listener::new(shared::connect(path)?, Options::default());
    let connection = client.connect(shared::server_address(), &stack)?;
    let soon = Some(Duration::from_secs(10));
    client.send_blocking(connection, b"hello", soon)?;
    let arrived = server.accept(soon)?;
    assert_eq!(server.receive(arrived, soon)?, b"hello");
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn listeners_share_memory() {
    let folder = scratch();
    over_shared_memory(&folder.path().join("socket"), window()).expect("a message arrives");
}
