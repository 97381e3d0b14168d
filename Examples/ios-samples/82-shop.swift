//: task com.example.shop.prices app-refresh
//: run
//: ends com.example.shop.prices completed
//: says Updated 3 prices, total 36.00

import BackgroundTasks
import Observation
import SwiftUI

struct Product: Identifiable, Hashable, Sendable {
    let id: String
    var name: String
    var price: Decimal
    var tags: [String] = []
}

@MainActor @Observable
final class Shop {
    static let shared = Shop()
    var products: [Product] = [
        Product(id: "cup", name: "Cup", price: 9.50, tags: ["kitchen"]),
        Product(id: "pen", name: "Pen", price: 2.50, tags: ["office"]),
        Product(id: "bag", name: "Bag", price: 18, tags: ["travel", "office"]),
    ]
    var cart: [Product.ID: Int] = [:]
    var total: Decimal { products.reduce(0) { $0 + $1.price } }

    func updatePrices() async {
        for index in products.indices {
            await Task.yield()
            products[index].price *= Decimal(string: "1.2")!
        }
    }
}

extension EnvironmentValues {
    @Entry var currencyCode = "EUR"
}

struct Card: ViewModifier {
    @Environment(\.colorScheme) private var colorScheme
    var radius: CGFloat = 12

    func body(content: Content) -> some View {
        content
            .padding()
            .background(.regularMaterial, in: .rect(cornerRadius: radius))
            .shadow(color: .black.opacity(colorScheme == .dark ? 0 : 0.1), radius: 6, x: 0, y: 2)
    }
}

extension View {
    func card(radius: CGFloat = 12) -> some View { modifier(Card(radius: radius)) }

    @ViewBuilder
    func `if`<T: View>(_ condition: Bool, transform: (Self) -> T) -> some View {
        if condition { transform(self) } else { self }
    }
}

struct ProductCard: View {
    let product: Product
    @Binding var count: Int
    @Environment(\.currencyCode) private var currencyCode

    var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            Text(product.name).font(.headline).lineLimit(1).minimumScaleFactor(0.8)
            Text(product.price, format: .currency(code: currencyCode)).foregroundStyle(.secondary)
            Stepper("\(count)", value: $count, in: 0...10)
        }
        .card()
        .accessibilityElement(children: .combine)
        .accessibilityLabel(Text("\(product.name), \(count) in cart"))
    }
}

struct ShopView: View {
    @Environment(Shop.self) private var shop
    @Environment(\.horizontalSizeClass) private var sizeClass
    @State private var searchText = ""
    @State private var isConfirming = false
    @Namespace private var namespace
    private let columns = [GridItem(.adaptive(minimum: 160), spacing: 16)]

    private var filtered: [Product] {
        searchText.isEmpty
            ? shop.products : shop.products.filter { $0.name.localizedStandardContains(searchText) }
    }

    private func count(of product: Product) -> Binding<Int> {
        Binding(get: { shop.cart[product.id, default: 0] }, set: { shop.cart[product.id] = $0 })
    }

    var body: some View {
        ScrollView {
            LazyVGrid(columns: columns, spacing: 16) {
                ForEach(filtered) { product in
                    ProductCard(product: product, count: count(of: product))
                        .matchedGeometryEffect(id: product.id, in: namespace)
                        .if(sizeClass == .compact) { $0.padding(.horizontal, 4) }
                        .contextMenu {
                            Button("Copy") { UIPasteboard.general.string = product.name }
                        }
                }
            }
            .padding()
        }
        .searchable(
            text: $searchText, placement: .navigationBarDrawer(displayMode: .always),
            prompt: "Products"
        )
        .safeAreaInset(edge: .bottom) {
            Button("Buy") { isConfirming.toggle() }.buttonStyle(.bordered).padding(.bottom)
        }
        .confirmationDialog("Buy all?", isPresented: $isConfirming, titleVisibility: .visible) {
            Button("Buy", role: .destructive) {
                withAnimation(.spring(duration: 0.3)) { shop.cart.removeAll() }
            }
        }
        .task(id: searchText) { try? await Task.sleep(for: .milliseconds(250)) }
        .onAppear { shop.cart = [:] }
        .environment(\.currencyCode, "EUR")
    }
}

@main
struct ShopApp: App {
    @State private var shop = Shop.shared

    var body: some Scene {
        WindowGroup {
            TabView {
                Tab("Shop", systemImage: "cart") { NavigationStack { ShopView() } }
                Tab("Search", systemImage: "magnifyingglass", role: .search) { Text("Search") }
            }
            .environment(shop)
        }
        .backgroundTask(.appRefresh("com.example.shop.prices")) {
            await Shop.shared.updatePrices()
            let total = await NSDecimalNumber(decimal: Shop.shared.total).doubleValue
            print(
                "Updated \(await Shop.shared.products.count) prices, total \(String(format: "%.2f", total))"
            )
        }
    }
}
