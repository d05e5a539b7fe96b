#include "hostile/programs.hpp"

#include <cstdio>
#include <cstring>

namespace {

struct Program {
    const char* name;
    void (*run)();
};

const Program kPrograms[] = {
    {"cancelled_groups", hostile::cancelled_groups},
    {"changing_memory", hostile::changing_memory},
    {"corrupted_files", hostile::corrupted_files},
    {"exit_of_main", hostile::exit_of_main},
    {"exit_of_threads", hostile::exit_of_threads},
    {"forks", hostile::forks},
    {"limits", hostile::limits},
};

} // namespace

/// Runs the program of this name.
int main(int argc, char** argv) {
    for (const Program& program : kPrograms) {
        if (argc != 2 || std::strcmp(argv[1], program.name) != 0) continue;
        program.run();
        return 0;
    }
    std::fprintf(stderr, "usage: %s NAME\n", argv[0]);
    return 2;
}
