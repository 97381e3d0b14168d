// SPDX-License-Identifier: Apache-2.0 OR 0BSD
// kit-name: a bgrun plugin in C++. `count` does its work in pieces, can stop after each piece, and
// continues at the next one.
#include "bgrun.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace {

// The content of a checkpoint. Raise the version with every change.
constexpr std::uint32_t position_version = 1;
struct position {
    std::int64_t done = 0; // pieces
};

// The number in {"key": number}. A plugin with more parameters uses a JSON library, for example
// nlohmann-json.
std::int64_t parameter(const bgrun::task &task, std::string_view key, std::int64_t otherwise) {
    const std::string_view json = task.parameters_json();
    const std::string quoted = '"' + std::string(key) + '"';
    const auto found = json.find(quoted);
    if (found == json.npos) return otherwise;
    const auto begin = json.find_first_not_of(" :", found + quoted.size());
    std::int64_t value = otherwise;
    if (begin != json.npos) std::from_chars(json.data() + begin, json.data() + json.size(), value);
    return std::max<std::int64_t>(value, 0);
}

// Does one piece of the work; put yours here. It must be short, and harmless if repeated. An exception
// fails the attempt. Returns false if the time was revoked.
bool do_piece(const bgrun::task &task, std::chrono::milliseconds time) { return task.wait(time); }

void count(bgrun::task &task) {
    const auto pieces = parameter(task, "pieces", 20);
    const std::chrono::milliseconds time(parameter(task, "milliseconds", 50));
    auto at = task.checkpoint<position>(position_version).value_or(position{});
    const auto of_pieces = " of " + std::to_string(pieces) + " pieces";

    task.title("Counting");
    if (at.done > 0)
        task.log(bgrun::level::info, "continues after " + std::to_string(at.done) + of_pieces);
    while (at.done < pieces) {
        if (task.should_defer() || !do_piece(task, time))
            return task.fail("stopped after " + std::to_string(at.done) + of_pieces);
        at.done++;
        task.save(position_version, at);
        task.progress(at.done, pieces);
    }
    task.succeed("counted " + std::to_string(at.done) + of_pieces);
}

} // namespace

BGRUN_PLUGIN("kit-name", "0.1.0", {"count", count})
