//! Invalid arguments, and numbers at their extremes.

use super::desk::Desk;

/// Invalid arguments of every verb, with a part of the message.
const WRONG_USAGE: [(&str, &str); 52] = [
    ("check", "<FILE>..."),
    ("fmt", "<FILE>..."),
    ("explain", "--stack <NAME>"),
    ("build", "--output <DIR>"),
    ("run", "Usage: nacre run"),
    ("sim", "--stack <NAME>"),
    ("test", "<FILE>..."),
    ("verify", "<FILE>"),
    ("replay", "<TRACE>"),
    ("check --frob FOLDER/s", "--frob"),
    ("fmt --stack small FOLDER/s", "--stack"),
    ("explain FOLDER/s FOLDER/s --stack small", "unexpected argument"),
    ("explain FOLDER/s --stack smal", "did you mean `small`?"),
    ("explain FOLDER/s --stack small --stage toknes", "there is no stage `toknes`"),
    ("explain FOLDER/s --stack small --spans", "--stage"),
    ("build FOLDER/s --stack small -o FOLDER/o --level fast", "the levels are: queue, call, inline, bypass"),
    ("build FOLDER/s --stack small -o FOLDER/o --name 1x", "cannot be a prefix"),
    ("build FOLDER/s --stack small -o FOLDER/o --name ../x", "cannot be a prefix"),
    ("build FOLDER/s --stack small -o FOLDER/o --name Nacre", "the prefix `nacre_` is reserved for `nacre.h`"),
    ("build FOLDER/s --stack small -o FOLDER/o --name NACRE_EVENT", "the prefix `nacre_` is reserved for `nacre.h`"),
    (
        "build FOLDER/s --stack small -o FOLDER/o --name a2345678901234567890123456789012345678901234567890123456789012345",
        "the name has 65 characters; the limit is 64",
    ),
    ("sim FOLDER/s --stack small --seed -1", "-1"),
    ("sim FOLDER/s --stack small --seed 18446744073709551616", "--seed"),
    ("sim FOLDER/s --stack small --runs 0", "--runs"),
    ("sim FOLDER/s --stack small --messages 1000001", "1000000"),
    ("sim FOLDER/s --stack small --messages 1000000000", "1000000"),
    ("sim FOLDER/s --stack small --largest 16777217", "16777216"),
    ("sim FOLDER/s --stack small --delay 8889h", "at most a year"),
    ("sim FOLDER/s --stack small --delay 5", "unit"),
    ("sim FOLDER/s --stack small --loss 100.001%", "100%"),
    ("sim FOLDER/s --stack small --loss NaN%", "100%"),
    ("sim FOLDER/s --stack small --partition 1s/1s", "shorter than its period"),
    ("sim FOLDER/s --stack small --partition 0s/0s", "shorter than its period"),
    ("sim FOLDER/s --stack small --level interpreter/fast", "the levels are"),
    ("sim FOLDER/s --stack small --check complet", "complet"),
    ("sim FOLDER/s --stack small --keep a.99999999999", "a.99999999999"),
    ("test FOLDER/s --only u", "the name of no test contains `u`"),
    ("verify FOLDER/s --layer sequencr", "did you mean `sequencer`?"),
    ("verify FOLDER/s --threads 0", "--threads"),
    ("verify FOLDER/s --memory 0", "--memory"),
    ("verify FOLDER/s --bits 65537", "--bits"),
    ("verify FOLDER/s --set send=18446744073709551616", "values after `=`"),
    ("verify FOLDER/s --engine fast", "--engine"),
    ("verify FOLDER/s --mutants --engine spin", "omit `--engine`"),
    ("verify FOLDER/s --mutants --trace FOLDER/run.json", "--trace"),
    ("verify FOLDER/s --level call", "an option of `--engine spin-c`"),
    ("verify FOLDER/s --engine spin --bits 1", "an option of `--engine explorer`"),
    ("verify FOLDER/s --engine spin-c --threads 2", "an option of `--engine explorer`"),
    ("verify FOLDER/s --engine spin --states 2", "an option of `--engine explorer`"),
    ("run FOLDER/s --stack small send --to 127.0.0.1:0 --file FOLDER/s", "port"),
    ("run FOLDER/s --stack small chat --listen 127.0.0.1:65536", "port"),
    ("run FOLDER/s --stack small chat", "--listen"),
];

#[test]
fn wrong_arguments_are_one_error_with_status_2() {
    let desk = Desk::with_stack();
    for (words, part) in WRONG_USAGE {
        let (status, out, err) = desk.run(words);
        assert_eq!((status, out.as_str()), (2, ""), "{words}: {err}");
        assert!(err.contains(part), "{words}: `{part}` in\n{err}");
        assert_eq!(
            err.lines().filter(|line| line.starts_with("error: ")).count(),
            usize::from(words != "run"),
            "{words}: {err}"
        );
    }
}

/// Every numeric option at its extremes; the status, and a part of standard output.
const EXTREMES: [(&str, i32, &str); 17] = [
    ("sim FOLDER/s --stack small --seed 0", 0, "every property holds"),
    ("sim FOLDER/s --stack small --seed 18446744073709551615 --runs 2", 0, "every property holds"),
    ("sim FOLDER/s --stack small --messages 0", 3, "no message was requested"),
    ("sim FOLDER/s --stack small --largest 0", 0, "every property holds"),
    ("sim FOLDER/s --stack small --messages 2 --largest 16777216", 0, "every property holds"),
    ("sim FOLDER/s --stack small --messages 1 --delay 8760h --jitter 8760h", 1, "timed out without progress"),
    ("sim FOLDER/s --stack small --messages 1 --delay 0.4ns --loss 1e-300%", 0, "every property holds"),
    (
        "sim FOLDER/s --stack small --messages 3 --loss 100% --duplicate 100% --reorder 100% --corrupt 100%",
        1,
        "does not hold",
    ),
    ("sim FOLDER/s --stack small --partition 1ns/0ns", 0, "every property holds"),
    ("sim FOLDER/s --stack small --messages 2 --partition 8760h/8759h", 0, "every property holds"),
    ("verify NO_BIT --states 0", 3, "the search is incomplete"),
    ("verify NO_BIT --states 18446744073709551615 --memory 1048576 --threads 64", 1, "violated"),
    ("verify NO_BIT --seconds 18446744073709551615", 1, "violated"),
    ("verify NO_BIT --memory 1", 3, "the limit of 1 MiB"),
    ("verify NO_BIT --bits 1", 1, "violated"),
    ("verify NO_BIT --set send=0,0", 3, "the search is incomplete"),
    ("verify NO_BIT --set size=18446744073709551615,0", 3, "messages have 1 to 8 bytes"),
];

#[test]
fn numbers_at_their_extremes_have_their_status() {
    let desk = Desk::with_stack();
    for (words, wanted, part) in EXTREMES {
        let (status, out, err) = desk.run(words);
        assert!(status == wanted && out.contains(part), "{words}: {status}, `{part}` in\n{out}{err}");
    }
    // Whether this memory is available depends on the machine.
    let (status, out, err) = desk.run("verify NO_BIT --bits 65536");
    assert!(status == 1 || status == 3 && out.contains("cannot be allocated"), "{status}\n{out}{err}");
}
