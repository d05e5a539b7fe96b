#include <support/catch.hpp>
#include <support/computation_text.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <string>
#include <vector>

// Text and bytes of loops that come from anywhere.
namespace saved_loops_hostile_test {

namespace {

namespace pv = purview;
using oracle::computation_text_of;
using pv::index_t;
using Lines = std::vector<std::string>;
using Vector = std::vector<double>;

/// Checks that this is refused with a message that ends so.
void check_refused(const Lines& nodes, const std::string& message) {
    CAPTURE(nodes.back());
    std::string found;
    try {
        pv::computation_from(computation_text_of(nodes, "%0 [3]"));
    } catch (const pv::FormatError& error) {
        found = error.what();
    }
    CHECK_THAT(found, Catch::EndsWith(message));
}
Lines with(Lines nodes, const Lines& more) {
    nodes.insert(nodes.end(), more.begin(), more.end());
    return nodes;
}

/// A tensor, and steps of one state: u, 2 u, u + v, [u | u], a number of integers, a condition and its negation.
const Lines kSteps{"tensor float64 3 1 2 3",   "argument 0 float64 [3]",
                   "add float64 [3] [%1 %1]",  "argument 1 float64 [3]",
                   "add float64 [3] [%1 %3]",  "pieces \"concat\" [6] [[0] [3]] [%1 [3] %1 [3]]",
                   "cast int64 [3] [%1]",      "number float64 100",
                   "less bool [3] [%1 %7]",    "all_of 1 %8 [3]",
                   "number int64 2",           "variable \"w\" float64 [3] is 1 2 3",
                   "add float64 [3] [%1 %11]", "argument 0 float64 [3]",
                   "number float64 1"};

/// The first output of a computation without arguments.
Vector result_of(const Lines& nodes, const std::string& output) {
    return pv::to_vector(
        pv::computation_from(computation_text_of(nodes, output))({})[0].as<double>());
}

} // namespace

TEST_CASE("malformed loops are refused", "[saved]") {
    const auto refused = [](const std::string& loop, const std::string& message) {
        check_refused(with(kSteps, {loop}), message);
    };
    // As they should be.
    for (const std::string loop : {"loop 4 1 0 2 [%1] [%2 [3]] [%0 [3]]",
                                   "loop 4 1 0 2 counted [%1] [%2 [3]] [%10 [] %0 [3]]",
                                   "loop 4 1 0 2 ends [%1] [%2 [3]] while [%1 %3] [%9 []] [%0 [3]]",
                                   "loop 3 1 0 9 backwards [%1 %3] [%4 [3] %2 [3]] [%0 [3] %0 [3]]",
                                   "loop 0 1 0 1 [%1] [%2 [3]] [%0 [3]]"})
        CHECK_NOTHROW(pv::computation_from(computation_text_of(with(kSteps, {loop}), "%15 []")));

    // Numbers of steps.
    for (const std::string steps : {"-1 1 0 1", "4 1 0 0", "4 1 0 -1", "72057594037927937 1 0 1",
                                    "9223372036854775807 1 0 1", "-9223372036854775808 1 0 1"})
        refused("loop " + steps + " [%1] [%2 [3]] [%0 [3]]", "a loop has no such number of steps");
    // Of states and inputs.
    for (const std::string counts :
         {"0 0", "2 0", "1 1", "9223372036854775807 0", "0 1", "1 9223372036854775807",
          "9223372036854775807 9223372036854775807"})
        refused("loop 4 " + counts + " 1 [%1] [%2 [3]] [%0 [3]]",
                "a loop has no such number of states");
    refused("loop 4 2 0 1 [%1 %3] [%2 [3]] [%0 [3] %0 [3]]", "a loop has no such number of states");
    refused("loop 4 1 0 1 counted [%1] [%2 [3]] [%0 [3]]", "a loop has no such number of states");
    for (const std::string counts : {"-1 0", "1 -1"})
        refused("loop 4 " + counts + " 1 [%1] [%2 [3]] [%0 [3]]",
                "a loop has a negative number of states");
    refused("loop 4 1 0 1 [%1] [%2 [3]] []", "a loop has no such number of states");
    for (const std::string count : {"%7 []", "%10 [1] by [0]", "%0 [3]"})
        refused("loop 4 1 0 1 counted [%1] [%2 [3]] [" + count + " %0 [3]]",
                "a loop has no count of steps");
    // Arguments.
    refused("loop 4 1 0 1 [%1] [%2 [3]] [%0 [2]]",
            "argument 0 of a function has another type or shape");
    refused("loop 4 1 0 1 [%1] [%2 [3]] [%10 [3] by [0]]",
            "argument 0 of a function has another type or shape");
    refused("loop 4 1 0 1 [%1] [%2 [3]] [%0 [3] %0 [3]]", "a function of 1 arguments is given 2");
    refused("loop 4 1 0 1 [%1 %3] [%4 [3]] [%0 [3]]", "a function of 2 arguments is given 1");
    refused("loop 4 1 1 1 [%1 %3] [%4 [3]] [%0 [3] %0 [3]]",
            "an input has not one row for each step");
    refused("loop 3 1 1 1 [%1 %3] [%4 [3]] [%0 [3] %0 []]",
            "an input has not one row for each step");
    refused("loop 3 1 1 1 [%1 %3] [%4 [3]] [%0 [3] %0 [3]]",
            "argument 1 of a function has another type or shape");
    // What the step returns.
    refused("loop 4 1 0 1 [%1] [%5 [6]] [%0 [3]]",
            "a step changes the type or the shape of state 0");
    refused("loop 4 1 0 1 [%1] [%6 [3]] [%0 [3]]",
            "a step changes the type or the shape of state 0");
    refused("loop 4 1 0 1 [%1] [%2 [1 3]] [%0 [3]]",
            "a step changes the type or the shape of state 0");
    refused("loop 4 1 0 1 [%1] [] [%0 [3]]", "a function has no outputs");
    // What functions read.
    refused("loop 4 1 0 1 [%1] [%4 [3]] [%0 [3]]", "a function reads an argument of another one");
    refused("loop 4 1 0 1 [%13] [%2 [3]] [%0 [3]]", "a function reads an argument of another one");
    refused("loop 4 1 0 1 [] [%2 [3]] [%0 [3]]", "a function reads an argument of another one");
    refused("loop 4 1 0 1 [%1] [%12 [3]] [%0 [3]]",
            "a function reads a symbol that is no argument");
    refused("loop 4 1 0 1 [%1] [%11 [3]] [%0 [3]]",
            "a function reads a symbol that is no argument");
    refused("loop 4 1 0 1 [%0] [%2 [3]] [%0 [3]]", "argument 0 of a function is another node");
    refused("loop 4 1 0 1 [%11] [%2 [3]] [%0 [3]]", "argument 0 of a function is another node");
    refused("loop 4 1 0 1 [%3] [%2 [3]] [%0 [3]]", "argument 0 of a function is another node");
    refused("loop 4 1 0 1 [%1 %1] [%2 [3]] [%0 [3] %0 [3]]",
            "argument 1 of a function is another node");
    refused("loop 4 1 0 1 [%15] [%2 [3]] [%0 [3]]", "node 15 does not come before its user");
    refused("loop 4 1 0 1 [%1] [%2 [4]] [%0 [3]]", "a view reads addresses 0 to 3 of 3");
    // Conditions.
    const std::string loop = "loop 4 1 0 1 [%1] [%2 [3]] while ";
    refused(loop + "[%1 %3] [%8 [3]] [%0 [3]]", "a condition is one bool");
    refused(loop + "[%1 %3] [%7 []] [%0 [3]]", "a condition is one bool");
    refused(loop + "[%1 %3] [%9 [] %9 []] [%0 [3]]", "a condition is one bool");
    refused(loop + "[%1] [%9 []] [%0 [3]]", "a function of 1 arguments is given 2");
    refused("loop 4 1 0 1 counted [%1] [%2 [3]] while [%1 %3] [%9 []] [%10 [] %0 [3]]",
            "a loop has a condition and a count");
    refused("loop 4 1 0 1 backwards [%1] [%2 [3]] while [%1 %3] [%9 []] [%0 [3]]",
            "a loop that has a condition begins with the last step");
    refused("loop 4 1 0 1 ends [%1] [%2 [3]] [%0 [3]]", "a loop without a condition ends");
    // Words where they do not stand.
    for (const std::string words : {"backwards counted", "ends counted", "ends ends", "other"})
        CHECK_THROWS_AS(
            pv::computation_from(computation_text_of(
                with(kSteps, {"loop 4 1 0 1 " + words + " [%1] [%2 [3]] [%0 [3]]"}), "%0 [3]")),
            pv::FormatError);
}

TEST_CASE("malformed choices and results are refused", "[saved]") {
    const Lines steps = with(kSteps, {"tensor bool 1 true"});
    const auto wrong = [&](const Lines& nodes, const std::string& message) {
        check_refused(with(steps, nodes), message);
    };
    CHECK(result_of(
              with(steps, {"choose [%1] [%2 [3]] [%1] [%1 [3]] [%15 [] %0 [3]]", "result 0 %16"}),
              "%17 [3]") == Vector{2, 4, 6});
    wrong({"choose [%1] [%2 [3]] [%1] [%1 [3]] [%0 [] %0 [3]]"}, "a condition is one bool");
    wrong({"choose [%1] [%2 [3]] [%1] [%1 [3]] [%15 [1] %0 [3]]"}, "a condition is one bool");
    wrong({"choose [%1] [%2 [3]] [%1] [%1 [3]] []"}, "a condition is one bool");
    wrong({"choose [%1] [%2 [3]] [%1] [%1 [3]] [%15 []]"}, "a function of 1 arguments is given 0");
    wrong({"choose [%1] [%2 [3]] [%1 %3] [%1 [3]] [%15 [] %0 [3]]"},
          "a function of 2 arguments is given 1");
    wrong({"choose [%1] [%2 [3]] [%1] [%6 [3]] [%15 [] %0 [3]]"},
          "two functions have other results");
    wrong({"choose [%1] [%2 [3]] [%1] [%1 [1]] [%15 [] %0 [3]]"},
          "two functions have other results");
    wrong({"choose [%1] [%2 [3]] [%1] [%1 [3] %1 [3]] [%15 [] %0 [3]]"},
          "two functions have other results");
    wrong({"choose [%1] [%12 [3]] [%1] [%1 [3]] [%15 [] %0 [3]]"},
          "a function reads a symbol that is no argument");
    const Lines halves = with(steps, {"argument 0 float16 [3]", "tensor float16 3 2e66 2e66 2e66"});
    check_refused(with(halves, {"choose [%16] [%16 [3]] [%16] [%16 [3]] [%15 [] %17 [3]]"}),
                  "elements of float16 are not carried");
    check_refused(with(halves, {"loop 2 1 0 1 [%16] [%16 [3]] [%17 [3]]"}),
                  "elements of float16 are not carried");
    check_refused(
        with(halves, {"argument 1 float16 []", "loop 3 1 1 1 [%1 %18] [%1 [3]] [%0 [3] %17 [3]]"}),
        "elements of float16 are not carried");

    const Lines loop = with(kSteps, {"loop 4 1 0 2 [%1 %3] [%2 [3] %4 [3]] [%0 [3] %0 [3]]"});
    CHECK_NOTHROW(pv::computation_from(computation_text_of(
        with(loop, {"result 0 %15", "result 1 %15", "result 2 %15"}), "%18 [2 3]")));
    for (const std::string number : {"3", "-1", "9223372036854775807", "-9223372036854775808"})
        check_refused(with(loop, {"result " + number + " %15"}), "there is no result " + number);
    check_refused(with(loop, {"result 0 %0"}), "a result is one of a loop, a choice or a stage");
    check_refused(with(loop, {"result 0 %15", "result 0 %16"}),
                  "a result is one of a loop, a choice or a stage");
    // A program reads no arguments but its own.
    CHECK_THROWS_AS(pv::computation_from(computation_text_of(loop, "%2 [3]")), pv::FormatError);
}

TEST_CASE("results of loops that no memory holds are refused", "[saved]") {
    const std::string many = "72057594037927936"; // 2^56
    const Lines nodes{"argument 0 float64 [2]", "number float64 1"};
    const auto loop = [&](const std::string& steps, const std::string& keep,
                          const std::string& outputs) {
        return with(nodes,
                    {"loop " + steps + " 1 0 " + keep + " [%0] [" + outputs + "] [%1 [2] by [0]]"});
    };
    const auto refused = [&](const Lines& lines, int result) {
        CHECK_THROWS_WITH(pv::computation_from(computation_text_of(lines, "%2 []")),
                          "computation: node 2: result " + std::to_string(result) +
                              " has too many elements");
    };
    CHECK_NOTHROW(pv::computation_from(computation_text_of(loop(many, many, "%0 [2]"), "%2 []")));
    refused(loop(many, many, "%0 [2] %0 [2]"), 1);
    refused(loop(many, many, "%0 [2] %1 [] %0 [1 65536] by [0 0]"), 2);
    refused(loop(many, "1", "%0 [2]"), 1);
    refused(loop(many, many, "%0 [2] %1 [9223372036854775807] by [0]"), 1);
    refused(loop("36028797018963969", "1", "%0 [2]"), 1);
    std::string axes = "[1";
    for (int a = 1; a < 64; ++a) axes += " 1";
    refused(loop("2", "2", "%0 [2] %1 " + axes + "]"), 1);
    // A row of no elements.
    CHECK_NOTHROW(
        pv::computation_from(computation_text_of(loop(many, many, "%0 [2] %1 [0]"), "%2 []")));
    CHECK_THROWS_AS(pv::computation_from(computation_text_of(
                        {"argument 0 float64 [" + many + " 2]", "number float64 1",
                         "loop 1 1 0 1 [%0] [%0 [" + many + " 2]] [%1 [" + many + " 2] by [0 0]]"},
                        "%2 []")),
                    pv::FormatError);
}

} // namespace saved_loops_hostile_test
