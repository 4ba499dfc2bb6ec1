//! Says hello to itself over UDP, in tasks of tokio.

nacre_runtime::stack!(reliable);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stack = reliable::stack();
    let server = nacre_tokio::Listener::bind("127.0.0.1:0".parse()?, Default::default())?;
    server.serve(&stack)?;
    let to = server.local();
    tokio::spawn(async move {
        let peer = server.accept().await?;
        while let Ok(message) = peer.recv().await {
            peer.send(&[&message[..], b", too"].concat()).await?;
        }
        Ok::<_, nacre_tokio::Error>(())
    });
    let peer = nacre_tokio::connect(to, &stack).await?;
    peer.send(b"hello").await?; // waits until the stack accepts it
    let answer = peer.recv().await?;
    peer.close().await?; // everything is delivered first
    println!("hello -> {}", String::from_utf8_lossy(&answer));
    Ok(())
}
