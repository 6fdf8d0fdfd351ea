// The component classes of coolant, air and heat rejection. One file each; equations in the page of the same name.
#pragma once

#include <span>

#include "model/system/registry.hpp"

namespace podtwin {

RegisteredClass pumpClass();
RegisteredClass resistanceClass();
RegisteredClass pipeClass();
RegisteredClass valveClass();
RegisteredClass threeWayValveClass();
RegisteredClass fixedFlowClass();
RegisteredClass plateHeatExchangerClass();
RegisteredClass coldPlateClass();
RegisteredClass heatLoadBankClass();
RegisteredClass flowLimitingValveClass();
RegisteredClass checkValveClass();
RegisteredClass differentialPressureValveClass();
RegisteredClass pressureReducingValveClass();
RegisteredClass pressureSustainingValveClass();
RegisteredClass balancingValveClass();
RegisteredClass strainerClass();
RegisteredClass quickDisconnectClass();
RegisteredClass tankClass();
RegisteredClass openTankClass();
RegisteredClass expansionVesselClass();
RegisteredClass leakClass();
RegisteredClass reliefValveClass();
RegisteredClass makeUpClass();
RegisteredClass dryCoolerClass();
RegisteredClass coolingTowerClass();
RegisteredClass chillerClass();
RegisteredClass zoneClass();
RegisteredClass heatCapacityClass();
RegisteredClass heatResistanceClass();
RegisteredClass heatSourceClass();
RegisteredClass fanWallClass();
RegisteredClass roomCoolerClass();
RegisteredClass liquidToAirExchangerClass();
RegisteredClass rearDoorExchangerClass();
RegisteredClass cduClass();

std::span<const RegisteredClass> coolingClasses();

}  // namespace podtwin
