# shellcheck shell=bash
# What run and test share. Sourced, with `root` (the repository) set by the caller.
: "${root:?the script that sources this sets root, the repository}"

say() { printf '%s\n' "$*" >&2; }

# packagesFor KIND...: the names that .ci/packages lists for these kinds.
packagesFor() {
  local kind
  for kind in "$@"; do
    awk -v kind="$kind" '$1 == kind { print $2 }' "$root/.ci/packages"
  done
}

# installPackages KIND...: installs what is missing; needs root (or sudo) only then. Sets
# packages_installed; returns non-zero, having said why, when it cannot.
packages_installed=no
installPackages() {
  local wanted=() missing=() as_root=() installed name log="$root/build/packages.log"
  mapfile -t wanted < <(packagesFor "$@")
  if ! command -v dpkg-query > /dev/null; then
    say "This is not a Debian system: PodTwin is built and tested on Debian 12. Going on with what is here; it needs"
    say "what Debian calls: ${wanted[*]}"
    return 0
  fi
  installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "${wanted[@]}" 2> /dev/null || true)"
  for name in "${wanted[@]}"; do
    [[ "$installed" == *" installed:$name "* ]] || missing+=("$name")
  done
  ((${#missing[@]})) || return 0

  if ((EUID != 0)); then
    if ! command -v sudo > /dev/null || ! { sudo -n true 2> /dev/null || { [[ -t 0 ]] && sudo -v; }; }; then
      say "PodTwin needs Debian packages that only root can install, and sudo does not help here. As root, once:"
      say "  apt-get install --no-install-recommends ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
  fi
  mkdir -p "$root/build"
  say "Installing ${#missing[@]} Debian packages and what they need (log: build/packages.log)"
  if ! {
    "${as_root[@]}" apt-get update &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends "${missing[@]}"
  } > "$log" 2>&1 < /dev/null; then
    tail -n 20 "$log" >&2
    say "The packages could not be installed: ${missing[*]}"
    return 1
  fi
  packages_installed=yes
}

# buildPreset PRESET TARGET...: configures when it must, builds; says something only when there is something to build.
# The target `all` builds everything. Returns non-zero with the end of the log on the terminal when it fails.
buildPreset() {
  local preset=$1 build log
  shift
  build="$root/build/$preset"
  log="$build/build.log"
  mkdir -p "$build"
  if [[ $packages_installed == yes || ! -f "$build/build.ninja" ||
    "$root/CMakePresets.json" -nt "$build/CMakeCache.txt" ]]; then
    say "Configuring (log: build/$preset/configure.log)"
    if ! (cd "$root" && cmake --preset "$preset" > "$build/configure.log" 2>&1); then
      # A half-made build folder would pass for a configured one the next time.
      rm -f "$build/build.ninja"
      tail -n 30 "$build/configure.log" >&2
      return 1
    fi
    touch "$build/CMakeCache.txt"
  fi
  local terminal=no
  [[ -t 2 ]] && terminal=yes
  # Ninja's own status lines are the progress; all of it goes to the log, and only the count to the terminal.
  if ! NINJA_STATUS='[%f/%t] ' cmake --build "$build" --parallel "$(nproc)" --target "$@" 2>&1 |
    awk -v log_file="$log" -v terminal="$terminal" -v name="build/$preset/build.log" '
      { print > log_file }
      /^\[[0-9]+\/[0-9]+\] (Building|Linking)/ {
        if (!begun) { begun = 1; printf "Building (log: %s)\n", name > "/dev/stderr" }
        if (terminal == "yes") { printf "\r%s ", $1 > "/dev/stderr"; fflush("/dev/stderr") }
      }
      END { if (begun && terminal == "yes") printf "\r\033[K" > "/dev/stderr" }'; then
    if ! grep -B 1 -A 12 -E '^FAILED:|[^ ]: (fatal )?error' "$log" | head -n 60 >&2; then
      tail -n 30 "$log" >&2
    fi
    say "The build failed; all of its output is in build/$preset/build.log"
    return 1
  fi
}
