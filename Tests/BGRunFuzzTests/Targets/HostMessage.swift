// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunProtocol

extension FuzzTarget {
    /// A message of a host to a worker: the payload of a frame.
    static let hostMessage = FuzzTarget(
        "host-message", made: { sampleMessages.map { Array($0.frame.dropFirst(4)) } }
    ) { bytes in
        guard let message = try? HostMessage(payload: bytes[...]) else { return }
        let frame = message.frame
        try hold(frame.count <= 4 + 3 * bytes.count, "\(frame.count) bytes of \(bytes.count)")
        let again = try HostMessage(payload: frame[4...])
        // Compared as bytes, because NaN is not equal to itself.
        try hold(again.frame == frame, "written and read, it is another message")
    }

    private static var sampleMessages: [HostMessage] {
        let device = HostMessage.Device(
            externalPower: 1, batteryPercent: 50, lowPowerMode: 0, network: 1, networkMetered: -1,
            userIdle: 0, thermalState: 1)
        var transfer = HostMessage.Transfer(
            id: 9, state: 3, session: "s", url: "http://a/b", method: "GET")
        transfer.errorText = "the connection was lost"
        transfer.responseHeaders = "{}"
        let answer = HostMessage.Answer(
            status: 0,
            pending: [
                HostMessage.Pending(identifier: "a.b", kind: 1, earliestUnixNanoseconds: 7)
            ], id: 3, data: [1, 2], transfers: [transfer],
            pushes: [
                HostMessage.Push(
                    payload: "{}", collapseID: "c", priority: 5, receivedUnixNanoseconds: 1)
            ], hasMore: true)
        let app = HostMessage.App(
            identifier: "a", manifestDirectory: "/", permitted: ["a.*"],
            tasks: [HostMessage.App.Task(identifier: "a.b", kind: 1, requires: 3)])
        let trial = HostMessage.Trial(
            abiVersion: 1, hasExtensions: true, hasLongerStructs: false)
        let expiration = HostMessage.Expiration(
            attempt: 1, reason: 2, reasonText: "the device is hot", graceNanoseconds: 3,
            deadlineBoottime: 4)
        let actions: [HostMessage.Launch.Action] =
            [.handler("run")] + samplePrograms.map { .foreign($0) }
        return actions.map { action in
            .launch(
                HostMessage.Launch(
                    attempt: 1, identifier: "a.b", kind: 1, attemptNumber: 1, action: action,
                    parameters: "{}", manifestDirectory: "/", deadlineBoottime: 1,
                    assertionLimitNanoseconds: 2, device: device,
                    checkpoint: HostMessage.Checkpoint(version: 1, data: [7]), secrets: ["token"]))
        } + [
            .load(
                HostMessage.Load(
                    plugin: "/p.so", displayPath: "p.so", app: app, trial: trial, device: device)),
            .expire(expiration), .answer(call: 1, answer), .device(device),
        ]
    }

    /// The programs of the manifest with foreign calls.
    private static var samplePrograms: [ForeignProgram] {
        let tasks = (try? readManifest(contents("manifests/zlib.yaml"))?.manifest.tasks) ?? []
        return tasks.compactMap { task in
            if case .foreign(let program) = task.action { program } else { nil }
        }
    }
}
