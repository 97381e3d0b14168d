// SPDX-License-Identifier: Apache-2.0

/// Reads from a service again after each signal, start or end: a forged signal only causes a read. Belongs to the
/// loop's thread.
final class BusService<Value> {
    /// Asks the service, and passes its answer to `found`; nil without an answer.
    typealias Reader = (_ bus: BusConnection, _ found: @escaping (Value?) -> Void) -> Void

    private let bus: BusConnection
    private let reader: Reader
    private let changed: () -> Void
    private var isReading = false
    private var mustReadAgain = false

    /// The service's last answer; nil while it is missing.
    private(set) var value: Value?
    /// Whether the first request has finished, with or without an answer.
    private(set) var isKnown = false

    init(
        _ bus: BusConnection, name: String, below path: String, reader: @escaping Reader,
        changed: @escaping () -> Void
    ) {
        self.bus = bus
        self.reader = reader
        self.changed = changed
        bus.listen(to: name, below: path) { [weak self] in self?.read() }
        bus.watchOwner(of: name) { [weak self] in self?.read() }
        read()
    }

    /// Asks again; if a request is outstanding, once more after it.
    func read() {
        guard !isReading else { return mustReadAgain = true }
        isReading = true
        reader(bus) { [weak self] in self?.found($0) }
    }

    private func found(_ value: Value?) {
        isReading = false
        self.value = value
        isKnown = true
        changed()
        if mustReadAgain {
            mustReadAgain = false
            read()
        }
    }
}

extension BusConnection {
    /// The properties of one interface of one object; nil if the request fails.
    func properties(
        _ name: String, _ path: String, _ interface: String,
        found: @escaping ([String: BusValue]?) -> Void
    ) {
        call(name, path, "org.freedesktop.DBus.Properties", "GetAll", [interface]) { reply in
            guard case .dictionary(let properties) = reply?.first else { return found(nil) }
            found(properties)
        }
    }
}
