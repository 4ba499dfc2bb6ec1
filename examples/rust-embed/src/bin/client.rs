use nacre_runtime::{Endpoint, Error};
use std::time::Duration;
nacre_runtime::stack!(reliable);
fn main() -> Result<(), Error> {
    let soon = Some(Duration::from_secs(10));
    let mut server = Endpoint::connect(([127, 0, 0, 1], 7000).into(), &reliable::stack())?;
    server.send(b"hello", soon)?; // waits until the stack accepts it
    println!("{}", String::from_utf8_lossy(&server.receive(soon)?));
    server.close(soon) // everything is delivered first
}
