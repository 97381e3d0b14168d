// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import BGRunSystem

/// One app of the live view: followed by its host, or by its store until a host starts.
///
/// Belongs to the loop's thread.
final class WatchedApp {
    let app: CatalogApp
    private let loop: EventLoop
    private let changed: (AppOverview) -> Void
    private var client: WatchClient?
    private var watch: WriteWatch?
    private var retry: LoopTimer?
    /// The time after which a host that has refused is asked again, in nanoseconds.
    private static let pause: Int64 = 5_000_000_000

    init(_ app: CatalogApp, _ loop: EventLoop, changed: @escaping (AppOverview) -> Void) {
        self.app = app
        self.loop = loop
        self.changed = changed
    }

    /// Reports the state of the app, now and after each change.
    func start() {
        let socket = app.state.controlSocket.split(separator: "/").last.map(String.init) ?? ""
        watch = try? WriteWatch(
            loop, app.state.path, pause: 20_000_000, names: { $0 == socket },
            heard: { [unowned self] in connect() })
        connect()
        guard client == nil else { return }
        showStored(AppReader(app.state) == nil ? UnreachableHost(app.state)?.message : nil)
    }

    private func connect() {
        guard client == nil else { return }
        client = try? WatchClient(
            loop, path: app.state.controlSocket, received: changed,
            ended: { [unowned self] message in
                // The client must not be released while it calls.
                loop.afterThisRound { [unowned self] in
                    client = nil
                    showStored(message)
                    guard message != nil else { return }
                    if retry == nil { retry = try? LoopTimer(loop) { [unowned self] in connect() } }
                    retry?.set(elapsed: SystemClock().now.elapsed.saturatingAdding(Self.pause))
                }
            })
    }

    private func showStored(_ message: String? = nil) {
        var overview: AppOverview
        do { overview = try app.stored() } catch { overview = app.unreadable(error) }
        if let message { overview.notices.append(message) }
        changed(overview)
    }
}

extension CatalogApp {
    /// The state of the app once, from its host or its store.
    ///
    /// Shows an error as a notice: other apps are still shown.
    func once() -> AppOverview {
        do {
            if AppReader(state) == nil,
                let response = try HostAccess.ask(ControlRequest(.watch), state),
                let overview = response.overview
            {
                return overview.clamped
            }
            return try stored()
        } catch {
            return unreadable(error)
        }
    }

    fileprivate func unreadable(_ error: any Error) -> AppOverview {
        var overview = AppOverview(app: name, at: SystemClock().now.wall)
        overview.notices = [CatalogApp.message(error)]
        return overview
    }
}
