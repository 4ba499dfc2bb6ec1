//! Says hello to itself over UDP, through the stack that `build.rs` compiled in.

use std::time::Duration;

use nacre_runtime::{Endpoint, Error, Listener, Options};

nacre_runtime::stack!(reliable);

fn main() -> Result<(), Error> {
    let stack = reliable::stack();
    let soon = Some(Duration::from_secs(10));

    let mut server = Listener::bind("127.0.0.1:0".parse().expect("an address"), Options::default())?;
    server.serve(&stack)?;
    let (to, same) = (server.local(), stack.clone());
    let client = std::thread::spawn(move || -> Result<Vec<u8>, Error> {
        let mut connection = Endpoint::connect(to, &same)?;
        connection.send(b"hello", soon)?;
        connection.receive(soon)
    });
    let connection = server.accept(soon)?;
    let heard = server.receive(connection, soon)?;
    server.send_blocking(connection, &[&heard[..], b", too"].concat(), soon)?;
    while !client.is_finished() {
        server.wait(Some(Duration::from_millis(10)))?;
    }
    let answer = client.join().expect("the client does not panic")?;
    println!("{} -> {}", String::from_utf8_lossy(&heard), String::from_utf8_lossy(&answer));
    Ok(())
}
