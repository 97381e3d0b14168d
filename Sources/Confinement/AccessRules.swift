// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Decides what a handler may do. The modes of files apply besides. Pure: the machine's files and layers are given.
package struct AccessRules {
    let confinement: Confinement
    let view: FileView
    let layers: MachineLayers

    package init(_ confinement: Confinement, _ view: FileView, _ layers: MachineLayers) {
        self.confinement = confinement
        self.view = view
        self.layers = layers
    }

    package func decision(on request: AccessRequest) -> AccessDecision {
        guard confinement.profile != .none else {
            return AccessDecision(
                request: request, isAllowed: true, reason: "the profile `none` limits nothing")
        }
        switch request {
        case .file(let access, let path): return file(request, access, path)
        case .socket(let path): return socket(request, path)
        case .connect, .listen, .udp: return network(request)
        }
    }

    // MARK: Files

    private func file(
        _ request: AccessRequest, _ access: AccessRequest.FileAccess, _ path: String
    ) -> AccessDecision {
        let place = view.resolve(path)
        let nearest = view.rules.nearest(to: place.path)
        var decision = AccessDecision(
            request: request, isAllowed: permits(nearest?.rule, access),
            reason: reason(nearest, place.path), path: nearest?.path, key: key(of: nearest?.path))
        guard !decision.isAllowed else {
            return access == .write ? withoutNamespaces(decision, place) : decision
        }
        // What no rule shows is there, and read-only; devices can be written where files cannot.
        let isCovered =
            nearest.map { $0.rule == .hidden } ?? false
            || access == .write && !(nearest == nil && FileRules.contains("/dev", place.path))
        enforce(&decision, isCovered ? [.namespaces, .landlock] : [.landlock])
        if !isFinal(nearest?.path, place.path) {
            if GrantedPlaces(homes: view.homes).isWide(access, place.existing) {
                decision.advice = AccessGrant.narrower
            } else {
                decision.grant = AccessGrant.file(access, place.existing)
            }
        }
        return decision
    }

    private func permits(
        _ rule: FileRules.Rule?, _ access: AccessRequest.FileAccess
    ) -> Bool {
        switch rule {
        case nil, .hidden: false
        case .shown(let isWritable, _): access != .write || isWritable
        case .temporary: true
        case .terminals: layers.hasNamespaces || layers.landlock == 0
        case .processes: access == .read
        }
    }

    private func reason(_ nearest: (path: String, rule: FileRules.Rule)?, _ path: String) -> String
    {
        guard let (place, rule) = nearest else { return "nothing shows \(path)" }
        let what =
            switch rule {
            case .hidden: "is hidden"
            case .temporary where layers.hasNamespaces: "is the worker's own"
            case .temporary: "is the machine's: namespaces do not work"
            case .processes where layers.hasNamespaces: "shows the attempt's own processes"
            case .processes: "shows the machine's processes: namespaces do not work"
            case .terminals: "shows terminals of the worker's own"
            case .shown(true, _): "may be written"
            case .shown(false, _): "may only be read"
            }
        return "\(place) \(what) (\(source(view.origins[place])))"
    }

    private func source(_ origin: RuleOrigin?) -> String {
        switch origin {
        case .key(let key): "`\(key)` in `confine`"
        case .data: "the app's data"
        case .state: "the app's state"
        case .guarded: "it decides what runs next"
        case .profile, nil: "profile \(confinement.profile.rawValue)"
        }
    }

    private func key(of path: String?) -> String? {
        guard let path, case .key(let key)? = view.origins[path] else { return nil }
        return key
    }

    /// Whether no key can grant what the rule at `rule` denies at `path`.
    private func isFinal(_ rule: String?, _ path: String) -> Bool {
        guard let rule, let origin = view.origins[rule] else { return false }
        return origin == .state || rule == path && !origin.isReplaceable
    }

    /// Landlock grants the entries of a directory in which something has fewer rights: nothing can be created there.
    private func withoutNamespaces(
        _ decision: AccessDecision, _ place: FileView.Resolved
    ) -> AccessDecision {
        guard !layers.hasNamespaces, layers.landlock > 0, !place.exists,
            let inner = view.weaker(below: place.existing).first
        else { return decision }
        var denied = decision
        denied.isAllowed = false
        denied.reason =
            "without namespaces nothing can be created in \(place.existing), because \(inner) in it "
            + "has other rights"
        denied.layers = [.landlock]
        return denied
    }

    /// A connection needs no right of Landlock: only a hidden socket is out of reach.
    private func socket(_ request: AccessRequest, _ path: String) -> AccessDecision {
        let place = view.resolve(path)
        let nearest = view.rules.nearest(to: place.path)
        var isShown = false
        if case .shown? = nearest?.rule { isShown = true }
        var decision = AccessDecision(
            request: request, isAllowed: isShown, reason: reason(nearest, place.path),
            path: nearest?.path, key: key(of: nearest?.path))
        guard !isShown else { return decision }
        if nearest == nil {
            decision.weakness = "no layer limits sockets that are not hidden"
        } else {
            enforce(&decision, [.namespaces])
        }
        // A service that does for a client what it may not do itself is not proposed.
        let isPowerful =
            GrantedPlaces(homes: view.homes).fact(socket: place.path) == .powerfulSocket
        if !isPowerful, !isFinal(nearest?.path, place.path) {
            decision.grant = AccessGrant.text("sockets", [place.path])
        }
        return decision
    }

    // MARK: Network

    private func network(_ request: AccessRequest) -> AccessDecision {
        let network = confinement.network
        let isStrict = confinement.profile == .strict
        let isOfProfile = network == (isStrict ? .none : .outgoing)
        var isAllowed = network.udp
        if case .connect(let port) = request { isAllowed = network.connect?.contains(port) ?? true }
        if case .listen(let port) = request { isAllowed = network.listen?.contains(port) ?? true }
        var decision = AccessDecision(
            request: request, isAllowed: isAllowed,
            reason: "\(Self.reason(request, network)) "
                + "(\(source(isOfProfile ? .profile : .key("network"))))",
            key: isOfProfile ? nil : "network")
        guard !isAllowed else { return decision }
        if confinement.isOffline {
            enforce(&decision, [.namespaces, .seccomp])
        } else if request == .udp {
            enforce(&decision, [.seccomp])
        } else if layers.landlock > 0, !layers.hasPorts {
            decision.weakness = "Landlock ABI \(layers.landlock) does not limit TCP ports"
        } else {
            enforce(&decision, [.landlock])
        }
        decision.grant = AccessGrant.network(network, with: request)
        return decision
    }

    private static func reason(
        _ request: AccessRequest, _ network: Confinement.Network
    ) -> String {
        func ports(_ list: [UInt16]?, _ verb: String) -> String {
            guard let list else { return "it may \(verb) any TCP port" }
            let ports = list.map(String.init).joined(separator: ", ")
            return list.isEmpty
                ? "it may not \(verb) TCP ports" : "it may \(verb) TCP ports \(ports)"
        }
        return switch request {
        case .listen: ports(network.listen, "listen on")
        case .connect: ports(network.connect, "connect to")
        default: network.udp ? "it may use UDP" : "it may not use UDP"
        }
    }

    // MARK: Layers

    private func enforce(_ decision: inout AccessDecision, _ wanted: [ConfinementLayer]) {
        decision.layers = wanted.filter { layers.absence(of: $0) == nil }
        guard decision.layers.isEmpty else { return }
        decision.weakness =
            "this machine lacks "
            + wanted.compactMap(layers.absence).joined(separator: ", ")
    }
}
