// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy

extension ConfinementSite {
    /// bgrun-init, beside the worker.
    var initExecutable: String { (FileRules.parent(of: worker) ?? "") + "/bgrun-init" }

    /// The layers that workers of this site get. Blocks for some milliseconds. Fails for lack of a resource: then it is
    /// not known what the machine has.
    func triedLayers() throws(SystemFailure) -> MachineLayers {
        let names = variables["BGRUN_CONFINE_WITHOUT"]?.split(separator: ",").map(String.init)
        let layers = try MachineProbe(executable: initExecutable, site: self).layers()
        return layers.without(names ?? [])
    }

    /// The same for people.
    package func machineLayers() -> MachineLayers {
        do throws(SystemFailure) {
            return try triedLayers()
        } catch {
            return MachineLayers(namespaceProblem: "\(error)", landlock: 0, hasSeccomp: false)
        }
    }
}
