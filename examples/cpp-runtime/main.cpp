// Says hello to itself over UDP, through the stack that the Makefile compiled.
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include <nacre_runtime.h>

#include "reliable.h"

struct Free {
    void operator()(nacre_listener *listener) const { nacre_listener_free(listener); }
};
using Listener = std::unique_ptr<nacre_listener, Free>;

// A call that fails ends the program, which says why.
static void must(const Listener &listener, int result) {
    if (result != NACRE_RUN_OK) throw std::runtime_error(nacre_error(listener.get()));
}

static Listener listen() {
    Listener listener(nacre_listen("127.0.0.1", 0, nullptr));
    if (!listener) throw std::runtime_error(nacre_error(nullptr));
    return listener;
}

// The next message within a hundredth of a second, and its connection; empty: there is none.
static std::string heard(const Listener &listener, std::uint64_t &connection) {
    nacre_notice notice;
    if (nacre_poll(listener.get(), 10, &notice) != NACRE_RUN_OK || notice.kind != NACRE_NOTICE_DELIVERED) return {};
    connection = notice.connection;
    return {reinterpret_cast<const char *>(notice.data), notice.len};
}

static void say(const Listener &listener, std::uint64_t connection, const std::string &words) {
    must(listener, nacre_send_blocking(listener.get(), connection, words.data(), words.size(), 10000));
}

int main() try {
    Listener server = listen(), client = listen();
    must(server, nacre_serve(server.get(), &reliable_stack));
    std::uint64_t to, from;
    must(client, nacre_connect(client.get(), "127.0.0.1", nacre_local_port(server.get()), &reliable_stack, &to));
    say(client, to, "hello");
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < end) {
        const std::string question = heard(server, from);
        if (!question.empty()) say(server, from, question + ", too");
        const std::string answer = heard(client, to);
        if (!answer.empty()) {
            std::cout << "hello -> " << answer << std::endl;
            return 0;
        }
    }
    throw std::runtime_error("no answer within 10 s");
} catch (const std::exception &error) {
    std::cerr << error.what() << std::endl;
    return 1;
}
