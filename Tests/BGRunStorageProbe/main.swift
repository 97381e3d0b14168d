// SPDX-License-Identifier: Apache-2.0

import BGRunStorage
import Glibc

/// Runs a command for which a test or a benchmark of the store needs a separate process.
func run(_ arguments: [String]) throws {
    switch arguments.first {
    case "hold-lock" where arguments.count == 2:
        try holdLock(arguments[1])
    case "submit" where arguments.count == 3:
        try submit(arguments[1], seed: UInt64(arguments[2]) ?? 0)
    case "push" where arguments.count == 2:
        try push(arguments[1])
    case "small-disk" where arguments.count == 3:
        try fillSmallDisk(arguments[1], bytes: UInt(arguments[2]) ?? 0)
    case "add-transfers" where arguments.count == 2:
        try addTransfers(arguments[1])
    case "shortage" where arguments.count == 2:
        try checkInShortage(arguments[1])
    case "threads" where arguments.count == 2:
        try countThreads(arguments[1])
    case "bench" where arguments.count == 3:
        try benchmark(arguments[1], stored: Int64(arguments[2]) ?? 10)
    default:
        print(
            """
            usage: bgrun-storage-probe hold-lock FILE | submit FILE SEED | push FILE
                 | small-disk FILE BYTES | add-transfers FILE | threads FILE
                 | shortage FILE | bench FILE STORED-REQUESTS
            """)
        exit(EX_USAGE)
    }
}

/// Writes a line without buffering: its reader reacts to it.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    guard write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else { exit(EX_IOERR) }
}

try run(Array(CommandLine.arguments.dropFirst()))
