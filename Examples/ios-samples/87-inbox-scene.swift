//: task com.example.mailbox.fetch app-refresh
//: run
//: ends com.example.mailbox.fetch completed
//: says 3 messages, 2 in Inbox
//: pending com.example.mailbox.fetch

import BackgroundTasks
import UIKit

struct Message: Hashable, Sendable {
    enum Mailbox: String, CaseIterable, Sendable { case inbox = "Inbox", sent = "Sent" }
    let id: Int
    let subject: String
    let mailbox: Mailbox
}

@MainActor
final class MessageStore {
    static let shared = MessageStore()
    static let didChange = Notification.Name("MessageStore.didChange")
    private(set) var messages: [Message] = [] {
        didSet { NotificationCenter.default.post(name: Self.didChange, object: self) }
    }

    func fetch() async throws {
        try await Task.sleep(for: .milliseconds(10))
        messages = [
            Message(id: 1, subject: "Hello", mailbox: .inbox),
            Message(id: 2, subject: "Re: Hello", mailbox: .sent),
            Message(id: 3, subject: "Lunch?", mailbox: .inbox),
        ]
    }

    func delete(_ message: Message) { messages.removeAll { $0 == message } }
}

final class MessageListViewController: UITableViewController {
    private typealias DataSource = UITableViewDiffableDataSource<Message.Mailbox, Message>
    private typealias Snapshot = NSDiffableDataSourceSnapshot<Message.Mailbox, Message>

    private lazy var dataSource = DataSource(tableView: tableView) {
        tableView, indexPath, message in
        let cell = tableView.dequeueReusableCell(withIdentifier: "Message", for: indexPath)
        var content = UIListContentConfiguration.subtitleCell()
        content.text = message.subject
        content.secondaryText = message.mailbox.rawValue
        content.image = UIImage(systemName: "envelope")
        content.imageProperties.tintColor = .secondaryLabel
        cell.contentConfiguration = content
        cell.accessoryType = .disclosureIndicator
        return cell
    }
    private var observation: Task<Void, Never>?

    override func viewDidLoad() {
        super.viewDidLoad()
        navigationItem.title = NSLocalizedString("Messages", comment: "Title of the list")
        navigationItem.largeTitleDisplayMode = .always
        tableView.register(UITableViewCell.self, forCellReuseIdentifier: "Message")
        dataSource.defaultRowAnimation = .fade
        let refreshControl = UIRefreshControl()
        refreshControl.addAction(
            UIAction { [weak self] _ in self?.reload() }, for: .valueChanged)
        self.refreshControl = refreshControl
        observation = Task { [weak self] in
            let changes = NotificationCenter.default.notifications(named: MessageStore.didChange)
            for await _ in changes.compactMap({ _ in true }) {
                self?.applySnapshot()
            }
        }
    }

    deinit { observation?.cancel() }

    private func reload() {
        Task {
            try? await MessageStore.shared.fetch()
            refreshControl?.endRefreshing()
        }
    }

    private func applySnapshot(animatingDifferences: Bool = true) {
        var snapshot = Snapshot()
        snapshot.appendSections(Message.Mailbox.allCases)
        for mailbox in Message.Mailbox.allCases {
            let items = MessageStore.shared.messages.filter { $0.mailbox == mailbox }
            snapshot.appendItems(items, toSection: mailbox)
        }
        dataSource.apply(snapshot, animatingDifferences: animatingDifferences)
    }

    override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        tableView.deselectRow(at: indexPath, animated: true)
        guard let message = dataSource.itemIdentifier(for: indexPath) else { return }
        let detail = UIViewController()
        detail.title = message.subject
        showDetailViewController(UINavigationController(rootViewController: detail), sender: self)
    }

    override func tableView(
        _ tableView: UITableView, trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? {
        guard let message = dataSource.itemIdentifier(for: indexPath) else { return nil }
        let delete = UIContextualAction(style: .destructive, title: "Delete") { _, _, completion in
            MessageStore.shared.delete(message)
            completion(true)
        }
        let configuration = UISwipeActionsConfiguration(actions: [delete])
        configuration.performsFirstActionWithFullSwipe = false
        return configuration
    }
}

class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = (scene as? UIWindowScene) else { return }
        let split = UISplitViewController(style: .doubleColumn)
        split.preferredDisplayMode = .oneBesideSecondary
        split.setViewController(
            UINavigationController(rootViewController: MessageListViewController(style: .plain)),
            for: .primary)
        window = UIWindow(windowScene: windowScene)
        window?.tintColor = .systemIndigo
        window?.rootViewController = split
        window?.makeKeyAndVisible()
    }

    func sceneWillEnterForeground(_ scene: UIScene) {
        Task { try? await MessageStore.shared.fetch() }
    }

    func sceneDidEnterBackground(_ scene: UIScene) {
        AppDelegate.schedule()
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    nonisolated static let identifier = "com.example.mailbox.fetch"

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: nil) {
            task in
            Self.schedule()
            let work = Task { @MainActor in
                do {
                    try await MessageStore.shared.fetch()
                    let messages = MessageStore.shared.messages
                    let inbox = messages.count { $0.mailbox == .inbox }
                    print("\(messages.count) messages, \(inbox) in Inbox")
                    task.setTaskCompleted(success: true)
                } catch {
                    task.setTaskCompleted(success: false)
                }
            }
            task.expirationHandler = { work.cancel() }
        }
        return true
    }

    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(
            name: "Default", sessionRole: connectingSceneSession.role)
        configuration.delegateClass = SceneDelegate.self
        return configuration
    }

    func application(
        _ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>
    ) {}

    nonisolated static func schedule() {
        let request = BGAppRefreshTaskRequest(identifier: identifier)
        request.earliestBeginDate = .init(timeIntervalSinceNow: 60 * 60)
        try? BGTaskScheduler.shared.submit(request)
    }
}
