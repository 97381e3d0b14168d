//: task com.example.inbox.refresh app-refresh
//: run
//: ends com.example.inbox.refresh completed
//: says inbox has 2 mails

import BackgroundTasks
import UIKit

final class InboxViewController: UIViewController, UITableViewDataSource, UITableViewDelegate {
    var mails = ["Hello", "Invoice"]
    private let tableView = UITableView(frame: .zero, style: .insetGrouped)

    override func viewDidLoad() {
        super.viewDidLoad()
        let refreshControl = UIRefreshControl()
        refreshControl.attributedTitle = NSAttributedString(string: "Pull to refresh")
        tableView.refreshControl = refreshControl
        tableView.dataSource = self
        tableView.delegate = self
        view.addSubview(tableView)
    }

    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { mails.count }

    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = tableView.dequeueReusableCell(withIdentifier: "Mail", for: indexPath)
        var content = cell.defaultContentConfiguration()
        content.text = mails[indexPath.row]
        content.secondaryText = "Unread"
        content.textProperties.font = .preferredFont(forTextStyle: .headline)
        cell.contentConfiguration = content
        return cell
    }

    func tableView(
        _ tableView: UITableView, trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? {
        let delete = UIContextualAction(style: .destructive, title: "Delete") { [weak self] _, _, completion in
            self?.mails.remove(at: indexPath.row)
            tableView.deleteRows(at: [indexPath], with: .automatic)
            completion(true)
        }
        delete.image = UIImage(systemName: "trash")
        let configuration = UISwipeActionsConfiguration(actions: [delete])
        configuration.performsFirstActionWithFullSwipe = false
        return configuration
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    let inbox = InboxViewController()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.inbox.refresh", using: .main) { [inbox] task in
            print("inbox has \(MainActor.assumeIsolated { inbox.mails.count }) mails")
            task.setTaskCompleted(success: true)
        }
        return true
    }
}
