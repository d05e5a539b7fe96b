/// Looking at data, and at work that takes long: docs/looking.md shows parts of this file.

#include "check.hpp"

#include <purview/evaluation/progress.hpp>
#include <purview/image/load_image.hpp>
#include <purview/image/show.hpp>
#include <purview/interop/to_html.hpp>
#include <purview/purview.hpp>

#include <csignal>
#include <cstdint>
#include <string>

namespace pv = purview;

namespace {

volatile std::sig_atomic_t interrupted = 0;

void watch_work() {
    auto x = pv::tensor(pv::linspace(0, 1, 100'000));
    auto y = pv::zeros({100'000});
    {
        // [bar]
        const auto told = pv::on_progress(pv::terminal_bar());
        double norm = pv::sum(x * x); // work of more than a second would be drawn
        // [/bar]
        check(norm > 0, "the sum");
    }
    interrupted = 1;
    // [cancel]
    std::signal(SIGINT, [](int) { interrupted = 1; });

    auto draw = pv::terminal_bar();
    const auto told = pv::on_progress(
        [&](const pv::Progress& progress) {
            draw(progress);
            return interrupted == 0; // false: stop
        },
        {.after_seconds = 0, .every_seconds = 0}); // default: 1 and 0.1

    check_throws<pv::Cancelled>([&] { pv::copy(pv::exp(x), y); }, "assignment: stopped");
    // y holds what it held
    // [/cancel]
    check(y(99'999) == 0, "the destination");
}

void write_html() {
    // [html]
    auto t = pv::tensor({{1.5, 2.0}, {0.25, -1.0}});
    std::string page = pv::to_html(t); // <table class="purview"><caption>float64 [2 2]</caption> …
    // [/html]
    check(page.find("<caption>float64 [2 2]</caption>") != std::string::npos, "the caption");
    check(page.find("<td>0.250</td>") != std::string::npos, "an element");
}

void draw_pictures() {
    // [show]
    auto x = pv::linspace(-1, 1, 200);
    auto hills = pv::sin(x * 6) * pv::cos(x(pv::all, pv::new_axis) * 6);
    pv::show(hills, "hills.png");                           // from black, the least, to white
    pv::show(hills, "colours.png", pv::gradients::viridis); // in colours
    // [/show]
    const pv::Shape grey{200, 200};
    const pv::Shape colours{200, 200, 3};
    check(pv::load_image("hills.png").shape() == grey, "the grey picture");
    check(pv::load_image("colours.png").shape() == colours, "the coloured picture");
}

} // namespace

int main() {
    watch_work();
    write_html();
    draw_pictures();
    return exit_status();
}
