// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunSystem
import Foundation
import Glibc
import Testing

@testable import BGRunHost
@testable import BGRunStorage
@testable import BGRunTransfers

@Suite("The transfer coordinator of a host and its service", .timeLimit(.minutes(5)))
final class TransferCoordinatorTests: TransferDatabase {
    private let loop: EventLoop

    override init() throws {
        loop = try EventLoop()
        try super.init()
    }

    private var place: TransferPlace { TransferPlace(executable: nil, state: state) }

    private func coordinator() -> TransferCoordinator {
        let coordinator = TransferCoordinator(loop, place, addHelper: { _, _ in })
        coordinator.openUp()
        return coordinator
    }

    /// Runs the loop until it is stopped, for 20 seconds at most.
    private func runLoop() throws {
        let limit = try LoopTimer(loop) { [loop] in loop.stop() }
        limit.set(elapsed: SystemClock().now.elapsed + Interval.seconds(20).nanoseconds)
        loop.run()
    }

    /// Stores a completed download to `file`.
    private func finish(_ file: String, isChosen: Bool) throws -> Int64 {
        try Data("x".utf8).write(to: URL(fileURLWithPath: file))
        let id = try add(Self.download(to: isChosen ? file : nil))
        try complete(id, file: file)
        return id
    }

    @Test("a delivered end is not delivered again while another program has locked the database")
    func deliveredOnce() throws {
        let id = try finish(state.downloads + "/1", isChosen: false)
        let coordinator = coordinator()
        #expect(coordinator.undelivered.map(\.id) == [id])
        try store.whileWriting {
            coordinator.noteDelivered([id])
            coordinator.lookAgain()
            #expect(coordinator.isWriting && coordinator.undelivered.isEmpty)
        }
        coordinator.whenWritten { [loop] in loop.stop() }
        loop.run()
        #expect(try store.transfer(id)?.isDelivered == true)
    }

    @Test("a service that has ended because its database was replaced is not replaced")
    func lostDatabase() throws {
        let coordinator = coordinator()
        var lost: [StoreError] = []
        coordinator.lost = { lost.append($0) }
        coordinator.hear(.problem("The transfer service ended"))
        #expect(lost == [])
        try FileManager.default.removeItem(atPath: state.transfers)
        coordinator.hear(.problem("The transfer service ended"))
        #expect(lost == [.replaced(path: state.transfers)])
    }

    @Test("no service is started for transfers that were replaced", arguments: [false, true])
    func handOver(isLost: Bool) throws {
        try add(Self.download())
        let coordinator = coordinator()
        coordinator.stated = TransferConditions(network: .yes, metered: .no, externalPower: .yes)
        coordinator.conditions = coordinator.stated
        var complaints = 0
        coordinator.complained = {
            if $0.contains("bgrun-transferd is missing") { complaints += 1 }
        }
        if isLost { try FileManager.default.removeItem(atPath: state.transfers) }
        var continued: [Int] = []
        coordinator.handOver { continued.append($0) }
        #expect(continued == [0] && complaints == (isLost ? 0 : 1))
        coordinator.isStopping = false
        coordinator.wantService()
        #expect(complaints == (isLost ? 0 : 2))
    }

    @Test("a download that cannot be kept stays in its place while the host runs")
    func unkept() throws {
        let file = state.downloads + "/1"
        let id = try finish(file, isChosen: false)
        try Data().write(to: URL(fileURLWithPath: state.keptDownloads))
        let coordinator = coordinator()
        let transfer = try #require(coordinator.open[id])
        _ = coordinator.keep(transfer, atMost: 1, since: WallTime(milliseconds: 0))
        coordinator.noteDelivered([id])
        coordinator.whenWritten { [loop] in loop.stop() }
        loop.run()
        coordinator.removeLeftovers()
        #expect(access(file, F_OK) == 0)
        // The next host removes it.
        self.coordinator().removeLeftovers()
        #expect(access(file, F_OK) != 0)
    }

    @Test("a download without a recipient is removed, unless its app has chosen its place")
    func dropped() throws {
        let (temporary, chosen) = (state.downloads + "/1", base + "/chosen")
        let ids = [
            try finish(temporary, isChosen: false), try finish(chosen, isChosen: true),
        ]
        let coordinator = coordinator()
        coordinator.drop(ids)
        #expect(coordinator.undelivered.isEmpty)
        #expect(access(temporary, F_OK) != 0)
        #expect(access(chosen, F_OK) == 0)
    }

    @Test(
        "callers wait while another program has locked the database, and get the result",
        arguments: [true, false])
    func locked(_ canBeOpened: Bool) throws {
        let state = try StateDirectory(
            app: "other", override: base, environment: [:], userID: geteuid())
        try state.create()
        _ = try TransferStore.open(state.transfers)
        let coordinator = TransferCoordinator(
            loop, TransferPlace(executable: nil, state: state), addHelper: { _, _ in })
        var complaints = 0
        coordinator.complained = { _ in complaints += 1 }
        var holder: Database? = try Database(state.transfers, .write, timeout: 0)
        try holder?.execute("PRAGMA locking_mode = EXCLUSIVE")
        try holder?.run("BEGIN EXCLUSIVE")
        var done: [Int] = []
        for number in 1...2 {
            coordinator.whenOpen { [loop] isOpen in
                #expect(isOpen == canBeOpened)
                done.append(number)
                if number == 2 { loop.stop() }
            }
        }
        #expect(coordinator.isOpening && done.isEmpty && complaints == 0)
        try holder?.run("ROLLBACK")
        holder = nil
        if !canBeOpened { #expect(truncate(state.transfers, 0) == 0) }
        try runLoop()
        #expect(done == [1, 2] && coordinator.isOpen == canBeOpened)
        #expect(complaints == (canBeOpened ? 0 : 1))
    }

    @Test("the service is started at the date for which all transfers wait")
    func earliest() throws {
        let date = SystemClock().now.wall.advanced(by: .milliseconds(300))
        var request = Self.download()
        request.earliest = date
        try add(request)
        var started: WallTime?
        let place = TransferPlace(executable: "/bin/true", state: state)
        let coordinator = TransferCoordinator(loop, place) { [loop] pid, _ in
            started = SystemClock().now.wall
            while waitpid(pid, nil, 0) < 0, errno == EINTR {}
            loop.stop()
        }
        coordinator.openUp()
        coordinator.wantService()
        try runLoop()
        #expect(try #require(started) >= date)
    }

    @Test("the host does not wait for a service that does not end")
    func silentService() throws {
        let service = try UnixListener.open(state.transferSocket)
        defer { close(service) }
        let keeper = try TransferServiceSupervisor(
            loop, place, addHelper: { _, _ in }, heard: { _ in })
        keeper.connectIfRunning()
        #expect(keeper.isConnected)
        var isDone = false
        keeper.stop(within: .milliseconds(1)) { [loop] in
            isDone = true
            loop.stop()
        }
        try runLoop()
        #expect(isDone)
    }

    @Test(
        "a service that dies is started again at once, and from the second death on after a delay")
    func restarted() throws {
        var children: [(pid: pid_t, ended: (Int32) -> Void)] = []
        defer { for child in children { waitpid(child.pid, nil, 0) } }
        let keeper = try TransferServiceSupervisor(
            loop, TransferPlace(executable: "/bin/true", state: state),
            addHelper: { children.append(($0, $1)) }, heard: { _ in })
        keeper.want(true)
        #expect(children.count == 1)
        let failure: Int32 = 1 << 8
        children[0].ended(failure)
        try #require(children.count == 2)
        children[1].ended(failure)
        #expect(children.count == 2)
        withExtendedLifetime(keeper) {}
    }

    @Test(
        "the host connects to a service that an earlier host left running, even without work"
    )
    func leftRunning() throws {
        let service = try UnixListener.open(state.transferSocket)
        defer { close(service) }
        _ = fcntl(service, F_SETFL, O_NONBLOCK)
        let coordinator = coordinator()
        coordinator.begin(TransferConditions(), TransferPolicy())
        let connection = accept(service, nil, nil)
        #expect(connection >= 0)
        close(connection)
    }

    @Test("the host does not connect to a service that starts when it is no longer needed")
    func unwanted() throws {
        var children: [pid_t] = []
        defer { for child in children { waitpid(child, nil, 0) } }
        let place = TransferPlace(executable: "/bin/true", state: state)
        let keeper = try TransferServiceSupervisor(
            loop, place, addHelper: { child, _ in children.append(child) }, heard: { _ in })
        keeper.want(true)
        keeper.want(false)
        #expect(children.count == 1)
        let watch = DirectoryWatch(loop, state.path) { [loop] in loop.inNextRound { loop.stop() } }
        let service = try UnixListener.open(state.transferSocket)
        defer { close(service) }
        loop.run()
        #expect(!keeper.isConnected)
        withExtendedLifetime(watch) {}
    }
}
