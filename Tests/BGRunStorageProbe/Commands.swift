// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import Glibc

/// Takes a lock, starts a program that runs until its input ends, prints its pid, and keeps the lock until
/// it is killed.
func holdLock(_ path: String) throws {
    let holder = HostLock.Holder(
        pid: getpid(), started: WallTime(milliseconds: 1_000), manifest: "/app.yaml",
        version: "1.2.3")
    do {
        let lock = try HostLock.acquire(path, as: holder)
        var child: pid_t = 0
        let arguments = [strdup("cat"), nil]
        guard posix_spawn(&child, "/bin/cat", nil, nil, arguments, environ) == 0 else {
            exit(EX_OSERR)
        }
        say("\(child)")
        while readLine() != nil {}
        _ = consume lock
    } catch {
        say(error.message)
        exit(EX_TEMPFAIL)
    }
}

/// Submits, launches and ends forever; prints each id after the store has acknowledged it.
func submit(_ path: String, seed: UInt64) throws {
    let store = try Store.open(path)
    var (restored, interrupted) = try store.restoration()
    var random = SplitMix(seed: seed)
    while true {
        let request = sample(
            restored.nextRequestID, parameters: Int.random(in: 0...9_000, using: &random))
        restored.nextRequestID += 1
        try store.apply([.putRequest(request), event(request)], durability: .full)
        say("\(request.id)")
        guard random.next() % 4 == 0 else { continue }
        let attempt = sample(restored.nextAttemptID, of: request)
        restored.nextAttemptID += 1
        try store.apply([.beginAttempt(attempt, worker: nil)], durability: .normal)
        interrupted.append(InterruptedAttempt(id: attempt.id, request: request))
        guard random.next() % 2 == 0 else { continue }
        try store.apply([end(interrupted.removeLast().id), event(request)], durability: .normal)
    }
}

/// Adds transfers forever; prints each id after the store has acknowledged it.
func addTransfers(_ path: String) throws {
    let store = try TransferStore.open(path)
    let request = TransferRequest(
        session: "com.example.library", direction: .download, url: "https://example.com/file")
    while true { say("\(try store.add(request, at: WallTime(milliseconds: 0)))") }
}

/// Stores messages forever, each for another task; prints each id after the store has acknowledged it.
func push(_ path: String) throws {
    let store = try Store.open(path)
    var next = try store.restoration().0.nextRequestID
    while true {
        let request = sample(next, parameters: 0)
        let message = PushMessage(
            id: try store.nextPushID(), identifier: request.identifier,
            payload: "{\"aps\":{\"content-available\":1}}", received: request.submitted,
            request: request.id)
        next += 1
        try store.apply(
            [.putRequest(request), .holdPush(message), .nextPush(id: message.id + 1)],
            durability: .full)
        say("\(message.id)")
    }
}

/// Writes until the limit of the file size is reached, then shows that the store continues without it.
func fillSmallDisk(_ path: String, bytes: UInt) throws {
    let store = try Store.open(path)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = bytes
    signal(SIGXFSZ, SIG_IGN)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    var id: Int64 = 1
    do {
        while true {
            try store.apply([.putRequest(sample(id, parameters: 500))], durability: .full)
            say("\(id)")
            id += 1
        }
    } catch {
        say("failed")
    }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    try store.apply([.putRequest(sample(id, parameters: 500))], durability: .full)
    say("\(id)")
}

func sample(_ id: Int64, parameters: Int = 0) -> TaskRequest {
    TaskRequest(
        id: id, identifier: "com.example.task.\(id)", kind: .processing,
        submitted: WallTime(milliseconds: 1_700_000_000_000 + id),
        parameters: parameters == 0 ? nil : String(repeating: "x", count: parameters))
}

func sample(_ id: Int64, of request: TaskRequest) -> Attempt {
    Attempt(
        id: id, request: request, declaration: "com.example.task.*", deadlineElapsed: 2_000_000,
        launched: Instant(elapsed: 1_000_000, wall: request.submitted))
}

func end(_ attempt: Int64) -> StoreChange {
    .endAttempt(
        attempt: attempt, .completed, message: nil,
        at: Instant(elapsed: 3_000_000, wall: WallTime(milliseconds: 1_700_000_100_000)),
        entered: Interval(nanoseconds: 40_000), outputDropped: 0)
}

func event(_ request: TaskRequest) -> StoreChange {
    .event(
        EventLine(
            at: Instant(elapsed: 1, wall: request.submitted), kind: "scheduling",
            identifier: request.identifier, text: "Submitted \(request.identifier)"))
}

/// Checks the files of a store without a free descriptor, after it has read a line.
func checkInShortage(_ path: String) throws {
    let store = try Store.open(path)
    try store.apply([.putRequest(sample(1))], durability: .full)
    say("open")
    _ = readLine()
    var limit = rlimit()
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
        exit(EX_OSERR)
    }
    do throws(StoreError) {
        try store.checkFiles()
        say("checked")
    } catch {
        say(error.message)
    }
}

/// Prints the number of threads before and after stores were used and closed.
func countThreads(_ path: String) throws {
    let before = threads()
    for _ in 1...2 {
        let store = try Store.open(path)
        try store.apply([.putRequest(sample(1))], durability: .full)
        _ = try Store.open(path, readOnly: true).restoration()
    }
    let transfers = try TransferStore.open(path + ".transfers")
    _ = try transfers.transfers(.all)
    say("\(before) before, \(threads()) after")
}

private func threads() -> Int {
    guard let directory = opendir("/proc/self/task") else { exit(EX_OSERR) }
    defer { closedir(directory) }
    var count = 0
    while let entry = readdir(directory) {
        // Skips "." and "..".
        if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
    }
    return count
}
