// SPDX-License-Identifier: Apache-2.0

extension PortableApp {
    /// One app of what several files held; tasks of one name are told apart by numbers.
    package init(joining parts: [PortableApp], app: String, origin: String) {
        self.init(app: app, origin: origin)
        var names = TaskNames(app: app)
        for part in parts {
            comments += part.comments
            notes += part.notes
            for task in part.tasks {
                var task = task
                task.identifier = names.identifier(part.shortName(task))
                tasks.append(task)
            }
        }
    }
}
