//! Tests of what a sender sends.

use super::*;

/// A stack that takes no answers: they wait here, but not without a limit.
#[test]
fn sender_that_takes_no_answers_does_not_fill_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), false, true).unwrap();
    let mut incoming = Incoming::new(String::new(), true);
    let messages = [Message::File { size: Some(0), path: ".." }, Message::Abort(String::new())];
    let sent = messages.iter().cycle().take(1000).map_while(|message| incoming.take(message.clone(), &store).ok());
    assert_eq!((sent.count(), incoming.answers.len()), (2 * WINDOW, WINDOW + 1));
    let error = incoming.take(Message::Folder { path: "folder" }, &store).err().unwrap();
    assert!(error.contains("wait for an answer"), "{error}");
    incoming.answered(&Answer::Refused { entry: 0, why: String::new() });
    incoming.take(Message::Folder { path: "folder" }, &store).unwrap();
    assert!(folder.path().join("folder").is_dir());
}
