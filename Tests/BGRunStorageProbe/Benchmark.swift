// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import BGRunSystem
import Glibc

/// Prints the duration of each kind of write and read with `stored` requests in the store.
func benchmark(_ path: String, stored: Int64) throws {
    let store = try Store.open(path)
    for first in stride(from: 1, through: stored, by: 1_000) {
        try store.apply(
            (first...min(stored, first + 999)).map { .putRequest(sample($0)) }, durability: .normal)
    }
    let rounds: Int64 = 4_000
    let requests = (stored + 1...stored + rounds).map { sample($0) }
    let attempts = requests.map { sample($0.id, of: $0) }
    var tasks: [Attempt] = []
    let lease = ProcessIdentity(pid: 4_242, startTicks: 9_876_543, bootID: "5f0e9a9e-boot")

    print("\(stored) stored requests")
    try measure("putRequest, normal", requests) {
        try store.apply([.putRequest($0)], durability: .normal)
    }
    let scattered = (1...rounds).map { ($0 &* 7_368_787) % stored + 1 }
    try measure("putRequest, replacing", scattered) {
        try store.apply([.putRequest(sample($0))], durability: .normal)
    }
    try measure("beginAttempt", attempts) {
        try store.apply([.beginAttempt($0, worker: lease)], durability: .normal)
    }
    try measure("endAttempt", attempts) {
        try store.apply([end($0.id)], durability: .normal)
    }
    try measure("putRequest, full", requests.prefix(500)) {
        try store.apply([.putRequest($0)], durability: .full)
    }
    try measure("begin with two events", attempts.prefix(500)) {
        try store.apply(
            [event($0.request), .beginAttempt($0, worker: lease), event($0.request)],
            durability: .normal)
    }
    let daily = sample(stored + rounds + 1)
    try store.apply([.putRequest(daily)], durability: .normal)
    for id in stored + rounds + 1...stored + 2 * rounds {
        var attempt = sample(id, of: daily)
        attempt.declaration = daily.identifier
        tasks.append(attempt)
    }
    try measure("begin, same task", tasks) {
        try store.apply([.beginAttempt($0, worker: lease)], durability: .normal)
    } after: {
        try store.apply([end($0.id), .putRequest(daily)], durability: .normal)
    }
    try measure("pendingCount", 1...1_000) { _ in _ = try store.pendingCount() }
    try measure("request", scattered) { _ = try store.request("com.example.task.\($0)") }
    try measure("pending, page of 50", 1...1_000) { _ in _ = try store.pending(limit: 50) }
    try measure("history, 10 of one", 1...1_000) { _ in
        _ = try store.history(identifier: "com.example.task.\(stored + 700)", limit: 10)
    }
    try measure("restoration", 1...3) { _ in _ = try store.restoration() }
    try measure("open, new file", 1...20) { _ = try Store.open(path + ".\($0)") }
    try measure("open, after close", 1...20) { _ = try Store.open(path + ".\($0)") }
    try measure("open, read-only", 1...20) { _ in _ = try Store.open(path, readOnly: true) }
}

/// Prints the median, which is the duration of one call, and the mean, which includes checkpoints.
private func measure<Items: Sequence>(
    _ name: String, _ items: Items, _ body: (Items.Element) throws -> Void,
    after: (Items.Element) throws -> Void = { _ in }
) throws {
    let clock = ContinuousClock()
    var times: [Duration] = []
    for item in items {
        times.append(try clock.measure { try body(item) })
        try after(item)
    }
    times.sort()
    let mean = times.reduce(.zero, +) / times.count
    let worst = times.last ?? .zero
    func microseconds(_ time: Duration) -> String {
        let tenths =
            time.components.attoseconds / 100_000_000_000 + time.components.seconds * 10_000_000
        return "\(tenths / 10).\(tenths % 10) us"
    }
    let padded = name + String(repeating: " ", count: max(0, 24 - name.count))
    print(
        "\(padded) median \(microseconds(times[times.count / 2]))  mean \(microseconds(mean))  "
            + "max \(microseconds(worst))")
}
