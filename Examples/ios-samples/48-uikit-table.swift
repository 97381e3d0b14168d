//: task com.example.stocks.refresh app-refresh
//: run
//: ends com.example.stocks.refresh completed
//: says Updated 3 quotes

import BackgroundTasks
import UIKit

struct Quote: Hashable {
    let symbol: String
    let price: Double
}

final class QuoteStore {
    static let didUpdate = Notification.Name("QuoteStoreDidUpdate")
    nonisolated(unsafe) static let shared = QuoteStore()
    private(set) var quotes: [Quote] = []

    func refresh() {
        quotes = ["AAPL", "GOOG", "MSFT"].enumerated().map {
            Quote(symbol: $1, price: Double($0) * 10)
        }
        NotificationCenter.default.post(name: Self.didUpdate, object: self)
    }
}

final class QuoteCell: UITableViewCell {
    static let reuseIdentifier = "QuoteCell"
    let priceLabel = UILabel()

    override init(style: UITableViewCell.CellStyle, reuseIdentifier: String?) {
        super.init(style: style, reuseIdentifier: reuseIdentifier)
        priceLabel.translatesAutoresizingMaskIntoConstraints = false
        priceLabel.font = .preferredFont(forTextStyle: .headline)
        priceLabel.textAlignment = .right
        contentView.addSubview(priceLabel)
        NSLayoutConstraint.activate([
            priceLabel.trailingAnchor.constraint(
                equalTo: contentView.trailingAnchor, constant: -16),
            priceLabel.centerYAnchor.constraint(equalTo: contentView.centerYAnchor),
            priceLabel.heightAnchor.constraint(equalToConstant: 44),
        ])
    }

    required init?(coder: NSCoder) {
        fatalError("init(coder:) has not been implemented")
    }
}

class QuotesViewController: UITableViewController {
    private var observer: NSObjectProtocol?
    private lazy var spinner: UIActivityIndicatorView = {
        let spinner = UIActivityIndicatorView(style: .medium)
        spinner.hidesWhenStopped = true
        return spinner
    }()

    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Quotes"
        tableView.register(QuoteCell.self, forCellReuseIdentifier: QuoteCell.reuseIdentifier)
        tableView.rowHeight = UITableView.automaticDimension
        tableView.tableFooterView = UIView()
        navigationItem.rightBarButtonItem = UIBarButtonItem(
            systemItem: .refresh, primaryAction: UIAction { [weak self] _ in self?.reload() })
        refreshControl = UIRefreshControl()
        refreshControl?.addAction(UIAction { [weak self] _ in self?.reload() }, for: .valueChanged)
        observer = NotificationCenter.default.addObserver(
            forName: QuoteStore.didUpdate, object: nil, queue: .main
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.tableView.reloadData() }
        }
    }

    private func reload() {
        spinner.startAnimating()
        QuoteStore.shared.refresh()
        spinner.stopAnimating()
        refreshControl?.endRefreshing()
    }

    override func numberOfSections(in tableView: UITableView) -> Int { 1 }

    override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        QuoteStore.shared.quotes.count
    }

    override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath)
        -> UITableViewCell
    {
        let cell =
            tableView.dequeueReusableCell(withIdentifier: QuoteCell.reuseIdentifier, for: indexPath)
            as! QuoteCell
        let quote = QuoteStore.shared.quotes[indexPath.row]
        cell.textLabel?.text = quote.symbol
        cell.priceLabel.text = String(format: "%.2f", quote.price)
        cell.accessoryType = .disclosureIndicator
        return cell
    }

    override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        tableView.deselectRow(at: indexPath, animated: true)
        let alert = UIAlertController(title: "Quote", message: nil, preferredStyle: .alert)
        alert.addAction(UIAlertAction(title: "OK", style: .default))
        present(alert, animated: true)
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        window = UIWindow(frame: UIScreen.main.bounds)
        window?.rootViewController = UINavigationController(
            rootViewController: QuotesViewController(style: .plain))
        window?.makeKeyAndVisible()
        UINavigationBar.appearance().prefersLargeTitles = true

        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.stocks.refresh", using: .main
        ) { task in
            QuoteStore.shared.refresh()
            print("Updated \(QuoteStore.shared.quotes.count) quotes")
            task.setTaskCompleted(success: true)
        }
        return true
    }
}
