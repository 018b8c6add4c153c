"""Made by Django."""
