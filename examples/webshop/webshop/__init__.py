"""A Django project as most are: settings, an app with a model, a migration."""
