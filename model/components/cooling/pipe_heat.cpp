#include "model/components/cooling/pipe_heat.hpp"

#include <cmath>
#include <numbers>
#include <string>

namespace podtwin {

namespace {

constexpr double kLaminar = 3.66;  // Nusselt number at constant wall temperature
constexpr double kLaminarEnd = 2300.0, kTurbulentStart = 4000.0;

struct Material {
  const char* name;
  double density, specific_heat;  // kg/m3, J/(kg K)
};
// Incropera et al., Fundamentals of Heat and Mass Transfer, table A.1, at 300 K: pure copper, AISI 304, plain carbon
// steel.
constexpr Material kMaterials[] = {
    {"copper", 8933.0, 385.0}, {"stainless_steel", 7900.0, 477.0}, {"carbon_steel", 7854.0, 434.0}};

double gnielinski(double reynolds, double prandtl) {
  const double root = 1.0 / (1.8 * std::log10(reynolds) - 1.5), f = root * root;
  return f / 8.0 * reynolds * prandtl / (1.0 + 12.7 * std::sqrt(f / 8.0) * (std::cbrt(prandtl * prandtl) - 1.0));
}

SourceMark markOf(const InstanceDescription& d, const char* parameter) {
  const auto& p = d.parameters.at(parameter);
  return p.given ? p.where : d.where;
}

/// Volume of the wall [m3] times density and specific heat.
double wallCapacity(const InstanceDescription& d, double length, double diameter, double count, Diagnostics& problems) {
  const double thickness = d.number("wall_thickness");
  const double given_density = d.number("wall_density"), given_heat = d.number("wall_specific_heat");
  if (thickness <= 0.0) {
    for (const char* other : {"wall_density", "wall_specific_heat", "inner_film"})
      if (d.number(other) > 0.0)
        problems.error(markOf(d, other), "'" + d.id + "' states " + other + " but no wall_thickness",
                       "give wall_thickness, or leave both out: the wall then stores nothing");
    return 0.0;
  }
  double density = given_density, specific_heat = given_heat;
  for (const auto& material : kMaterials)
    if (d.text("wall_material") == material.name) {
      if (density <= 0.0) density = material.density;
      if (specific_heat <= 0.0) specific_heat = material.specific_heat;
    }
  return count * std::numbers::pi * (diameter + thickness) * thickness * length * density * specific_heat;
}

double lossConductance(const InstanceDescription& d, double length, double diameter, double count,
                       Diagnostics& problems) {
  const double loss = d.number("loss"), per_area = d.number("loss_per_area"), film = d.number("outer_film"),
               insulation = d.number("insulation_thickness");
  if ((loss > 0.0) + (per_area > 0.0) + (film > 0.0) > 1)
    problems.error(markOf(d, loss > 0.0 ? "loss" : "loss_per_area"),
                   "'" + d.id + "' states its loss to the surroundings in more than one way",
                   "keep one of loss, loss_per_area and outer_film (with insulation_thickness)");
  if (insulation > 0.0 && film <= 0.0)
    problems.error(
        markOf(d, "insulation_thickness"), "'" + d.id + "' states insulation but no outer_film",
        "give outer_film, the coefficient from the insulation to the air; 5 to 10 W/(m2.K) is usual indoors");
  if (per_area > 0.0) return per_area * count * std::numbers::pi * diameter * length;
  if (film <= 0.0) return loss;
  const double bare = diameter + 2.0 * d.number("wall_thickness"), outer = bare + 2.0 * insulation;
  const double of_insulation = std::log(outer / bare) / (2.0 * std::numbers::pi * d.number("insulation_conductivity"));
  const double of_film = 1.0 / (film * std::numbers::pi * outer);  // K m/W, both
  return count * length / (of_insulation + of_film);
}

}  // namespace

double pipeNusselt(double reynolds, double prandtl) {
  if (reynolds <= kLaminarEnd) return kLaminar;
  if (reynolds >= kTurbulentStart) return gnielinski(reynolds, prandtl);
  const double share = (reynolds - kLaminarEnd) / (kTurbulentStart - kLaminarEnd);
  return kLaminar + share * (gnielinski(kTurbulentStart, prandtl) - kLaminar);
}

double InnerFilm::conductance(double m) const {
  return stated > 0.0 ? stated * area : per_nusselt * pipeNusselt(std::abs(m) * reynolds, prandtl);
}

PipeHeat pipeHeatOf(const InstanceDescription& d, const fluids::Coolant& coolant, Diagnostics& problems) {
  const double length = d.number("length"), diameter = d.number("diameter"), count = d.number("count");
  PipeHeat heat;
  heat.wall_capacity = wallCapacity(d, length, diameter, count, problems);
  heat.loss = lossConductance(d, length, diameter, count, problems);
  InnerFilm& film = heat.film;
  film.area = count * std::numbers::pi * diameter * length;
  film.stated = d.number("inner_film");
  film.reynolds = 4.0 / (count * std::numbers::pi * diameter * coolant.viscosity);
  film.prandtl = coolant.viscosity * coolant.specific_heat / coolant.conductivity;
  film.per_nusselt = film.area * coolant.conductivity / diameter;
  return heat;
}

}  // namespace podtwin
