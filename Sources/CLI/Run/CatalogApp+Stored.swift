// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunDevice
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem

extension CatalogApp {
    /// The stored state, as a host that started now would see it.
    func stored() throws -> AppOverview {
        let now = SystemClock().now.wall
        var overview = AppOverview(app: name, at: now)
        if let reader = AppReader(state) {
            let answer = try reader.ask(.overview)
            overview = answer.overview ?? overview
            if let problem = answer.problem, answer.isOfManifest != true {
                overview.notices.append(problem)
            }
            return overview
        }
        guard let store = try state.storeToRead() else { return overview }
        // Of attempts whose host died.
        let requests: [TaskRequest]
        if let manifest {
            let device = try DeviceSnapshot.take(stateDirectory: state.path).state
                .stated(manifest.device)
            let (restored, interrupted) = try store.restoration()
            let engine = Engine(manifest.engineConfiguration, device: device, restoring: restored)
            overview = AppOverview(app: name, engine: engine, attempts: [], limit: 200, at: now)
            overview.device = DeviceBands(device).all
            requests = interrupted.map(\.request)
        } else {
            overview.pendingCount = try store.pendingCount()
            overview.pending = try store.pending(limit: 200).map {
                AppOverview.Pending($0, reason: "no host runs; name its manifest to see why")
            }
            requests = try store.interruptedAttempts().map(\.request)
        }
        overview.add(requests, waitingFor: { AppOverview.Pending.interrupted($0, at: now) })
        overview.recent = try store.lastEnded(limit: 8).map(AppOverview.Ended.init)
        return overview
    }
}
