// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunManifest
import FoundationEssentials

/// Receives the state of an app from its running host after each change. Belongs to the loop's
/// thread.
package final class WatchClient {
    private let loop: EventLoop
    private let received: (AppOverview) -> Void
    private let ended: (String?) -> Void
    private var channel: LineChannel?
    /// The last line of this round.
    private var newest: ArraySlice<UInt8>?
    private var isOver = false
    /// The maximum size of a message in bytes: the host may belong to another user.
    private static let longest = 16 << 20

    /// Connects to the host at `path`, without blocking because the socket is local.
    /// - Parameters:
    ///   - ended: Called once, when the host has disconnected or does not understand the request:
    ///     with its message.
    package init(
        _ loop: EventLoop, path: String, received: @escaping (AppOverview) -> Void,
        ended: @escaping (String?) -> Void
    ) throws {
        self.loop = loop
        self.received = received
        self.ended = ended
        channel = try LineChannel(
            loop, SocketName.connected(to: path), longest: Self.longest,
            heard: { [unowned self] in hear($0) }, closed: { [unowned self] in close() })
        channel?.send(
            [UInt8](try JSONEncoder().encode(ControlRequest(.watch))) + [UInt8(ascii: "\n")])
    }

    /// Of the overviews that arrive in one round, only the newest is shown.
    private func hear(_ line: ArraySlice<UInt8>) {
        if newest == nil { loop.afterThisRound { [weak self] in self?.showNewest() } }
        newest = line
    }

    private func showNewest() {
        guard let line = newest else { return }
        newest = nil
        let response = try? JSONDecoder().decode(ControlResponse.self, text: line)
        if let overview = response?.overview {
            received(overview.clamped)
        } else {
            end(
                response?.problem?.message ?? "the host answers what this bgrun does not understand"
            )
        }
    }

    private func close() {
        showNewest()
        end(channel?.isOverlong == true ? "the host sends too much" : nil)
    }

    private func end(_ message: String?) {
        guard !isOver else { return }
        isOver = true
        channel?.close()
        ended(message)
    }
}
