#pragma once

/// What the executable can be asked to run. Each returns if all went well, and ends the process if not.
namespace hostile {

/// Evaluates inside of oneTBB task groups that are cancelled, or of which a task throws.
void cancelled_groups();

/// Evaluates in destructors of static and `thread_local` objects, of the main thread and of others.
void exit_of_main();
void exit_of_threads();

/// Loads files of which some bytes have been changed.
void corrupted_files();

/// Has little memory, short stacks, short files.
void limits();

/// Computes with memory that another process writes to.
void changing_memory();

/// Forks while other threads evaluate, and evaluates in the children.
void forks();

} // namespace hostile
