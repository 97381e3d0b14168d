// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension ConfinementSite {
    /// bgrun-init, beside the worker.
    var initExecutable: String { (FileRules.parent(of: worker) ?? "") + "/bgrun-init" }

    /// The layers that workers of this site get. Blocks for some milliseconds.
    package func machineLayers() -> MachineLayers {
        let names = variables["BGRUN_CONFINE_WITHOUT"]?.split(separator: ",").map(String.init)
        return MachineProbe(executable: initExecutable, site: self).layers().without(names ?? [])
    }
}
